// A browser that remembers everything that it had to complain about.
import {mkdir, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createRequire} from 'node:module';
import {readFile} from 'node:fs/promises';
import {chromium} from 'playwright-core';

const screens = process.env.SCREENS ?? new URL('../../../ui/screens', import.meta.url).pathname;
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function startBrowser() {
  const profile = await mkdtemp(join(tmpdir(), 'relay-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, viewport: {width: 1280, height: 900},
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const close = async () => {
    await context.close();
    await rm(profile, {recursive: true, force: true});
  };
  return {context, close};
}

/** A page and the list of what went wrong in it. */
export async function openPage(context) {
  const page = await context.newPage(), complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.exposeFunction('complain', (text) => complaints.push(text));
  await page.addInitScript(() => addEventListener('securitypolicyviolation', (event) => {
    globalThis.complain(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
  }));
  return {page, complaints};
}

/** Screenshots of the whole page, wide and narrow, light and dark, with what axe finds in each. */
export async function look(page, name) {
  await mkdir(screens, {recursive: true});
  const found = [];
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({colorScheme: theme, reducedMotion: 'reduce'});
    for (const width of [1280, 390, 360]) {
      await page.setViewportSize({width, height: 900});
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 0) found.push(`${name} at ${width}: ${wide} px too wide`);
      if (width > 360) await page.screenshot({path: join(screens, `${name}-${width}-${theme}.png`), fullPage: true});
      found.push(...await violations(page, `${name} at ${width} ${theme}`));
    }
  }
  await page.setViewportSize({width: 1280, height: 900});
  await page.emulateMedia({colorScheme: 'light'});
  return found;
}

async function violations(page, where) {
  await page.evaluate(axe);
  const result = await page.evaluate(() => globalThis.axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}));
  return result.violations.map((v) => `${where}: ${v.id}: ${v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join(', ')}`);
}
