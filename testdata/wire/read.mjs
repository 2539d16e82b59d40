// Reads request bodies as a JavaScript server does and says what it makes of
// each: one line in, one line out. A line holds the caller's body and the
// forwarded one, in base64 with a space between; the second may be empty.

import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parse(base64) {
  try {
    return { value: JSON.parse(utf8.decode(Buffer.from(base64, "base64"))) };
  } catch {
    return undefined;
  }
}

const isObject = (v) => typeof v === "object" && v !== null && !Array.isArray(v);

// fits reports whether a value nests no deeper than that, and holds no half of
// a surrogate pair and no number beyond a double.
function fits(value, levels) {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.entries(value).every(([name, v]) => name.isWellFormed() && fits(v, levels - 1));
}

// otherCase returns the members that only a reader without regard to case takes
// for model or stream.
const otherCase = (body) =>
  Object.keys(body).filter((name) => ["MODEL", "STREAM"].includes(name.toUpperCase()) && !["model", "stream"].includes(name));

// names reports whether a model member names a model.
function names(model) {
  return typeof model === "string" && model !== "" && [...model].length < 300 && !/[\u0000-\u001f\u007f-\u009f]/u.test(model);
}

function judge(line) {
  const [sent, forwarded] = line.split(" ");
  const body = parse(sent)?.value;
  if (!isObject(body)) return { object: false };
  const verdict = {
    object: true,
    legal: fits(body, 128) && otherCase(body).length === 0 && [undefined, null, true, false].includes(body.stream),
    model: typeof body.model === "string" ? body.model : "",
    names: names(body.model),
    streamed: body.stream === true,
  };
  if (forwarded) Object.assign(verdict, compare(body, parse(forwarded)?.value));
  return verdict;
}

// compare says whom the forwarded body names, and whether it is the same
// otherwise: its members, their order and their values.
function compare(body, upstream) {
  if (!isObject(upstream)) return { same: false };
  const { model } = upstream;
  const order = isDeepStrictEqual(Object.keys(body), Object.keys(upstream));
  return { upstream: model, same: order && isDeepStrictEqual({ ...body, model }, upstream) };
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  process.stdout.write(JSON.stringify(judge(line)) + "\n");
}
