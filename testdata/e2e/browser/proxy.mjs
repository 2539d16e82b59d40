// A proxy in front of a relay's control listener, which sees what a page asks
// for, and can refuse the live stream or break it.
import {createServer, request as ask} from 'node:http';

/** @param {string} target URL of the control listener */
export async function startProxy(target) {
  const proxy = new Proxied();
  const server = createServer((request, response) => proxy.pass(request, response, target));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.url = `http://127.0.0.1:${server.address().port}/`;
  proxy.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return proxy;
}

class Proxied {
  asked = []; // paths in order, without what the page itself is made of
  attempts = []; // when the live stream was asked for
  open = new Set(); // live streams
  refuses = false;

  pass(request, response, target) {
    const live = request.url.startsWith('/api/live');
    if (live) this.attempts.push(performance.now());
    else if (request.url.startsWith('/api/')) this.asked.push(request.url.slice('/api/'.length));
    if (live && this.refuses) {
      response.writeHead(503, {'Content-Type': 'application/problem+json'}).end('{}');
      return;
    }
    const up = ask(new URL(request.url, target), {method: request.method, headers: request.headers}, (answer) => {
      if (live && answer.statusCode === 200) this.open.add(response);
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    up.on('error', () => response.destroy());
    response.on('close', () => {
      this.open.delete(response);
      up.destroy();
    });
    request.pipe(up);
  }

  /** Ends the live streams in the midst of them. */
  breakOff() {
    for (const response of this.open) response.destroy();
  }

  /** Resolves when it holds, which is soon. */
  async until(what, holds) {
    for (const deadline = performance.now() + 20000; !holds();) {
      if (performance.now() > deadline) throw new Error(`${what}: ${this.open.size} streams, ${this.attempts.length} attempts, ${this.asked.slice(-9)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** How often a path was asked for that begins so. */
  count(begin) {
    return this.asked.filter((path) => path.startsWith(begin)).length;
  }

  /** Lets the page go through so many rounds of what it asks for again and again. */
  async rounds(n) {
    const before = this.count('status');
    await this.until(`${n} rounds`, () => this.count('status') >= before + n);
  }
}
