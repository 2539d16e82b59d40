// Reads bodies of multipart/form-data as a JavaScript server does and says what
// it makes of each: one line in, one line out. A line holds the Content-Type and
// the body, in base64 with a space between.

import { createInterface } from "node:readline";

const text = (value) => (typeof value === "string" ? value : undefined);

async function judge(line) {
  const [type, body] = line.split(" ").map((word) => Buffer.from(word, "base64"));
  try {
    const form = await new Response(body, { headers: { "content-type": type.toString("latin1") } }).formData();
    const files = [...form.values()].filter((value) => typeof value !== "string");
    return {
      read: true,
      models: form.getAll("model").map(text),
      streams: form.getAll("stream").map(text),
      fileBytes: files.reduce((sum, file) => sum + file.size, 0),
    };
  } catch {
    return { read: false };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(await judge(line)) + "\n");
}
