import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {test} from 'node:test';
import {validate} from '@hyperjump/json-schema/openapi-3-1';

const {RELAY_URL, RELAY_CONTROL, RELAY_TOKEN_FILE} = process.env;
if (!RELAY_URL) throw new Error('RELAY_URL is not set: the driver runs these tests, `make test-sdk` in the root of the repository');

// The schema of the OpenAPI Initiative, with the one that holds Schema Objects to
// JSON Schema 2020-12. https://spec.openapis.org/oas/3.1/schema-base/2022-10-07
const metaSchema = 'https://spec.openapis.org/oas/3.1/schema-base';

/** What is wrong with a document, by place. */
async function faults(document) {
  const {valid, errors = []} = await validate(metaSchema, document, 'BASIC');
  assert.equal(valid, errors.length === 0);
  return errors.map(({instanceLocation, absoluteKeywordLocation}) => `${instanceLocation}: ${absoluteKeywordLocation}`);
}

async function read(url, headers = {}) {
  const response = await fetch(url, {headers});
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('Content-Type'), 'application/openapi+json');
  return response.json();
}

test('the document of the control API is OpenAPI 3.1', async () => {
  const token = (await readFile(RELAY_TOKEN_FILE, 'utf8')).trim();
  const document = await read(RELAY_CONTROL + '/api/openapi.json', {Authorization: `Bearer ${token}`});
  assert.ok(Object.keys(document.paths).length > 100, `${Object.keys(document.paths).length} paths`);
  assert.deepEqual(await faults(document), []);
});

test('the document of the inference side is OpenAPI 3.1', async () => {
  const document = await read(RELAY_URL + '/openapi.json');
  assert.ok(Object.keys(document.paths).length > 20, `${Object.keys(document.paths).length} paths`);
  assert.deepEqual(await faults(document), []);
});

test('what is no such document is told', async () => {
  const good = {openapi: '3.1.0', info: {title: 'x', version: '1'}, paths: {}};
  assert.deepEqual(await faults(good), []);
  const answering = (response) => ({'/a': {get: {responses: {200: response}}}});
  for (const [bad, place] of [
    [{openapi: '3.0.3'}, '#/openapi'],
    [{info: {title: 'x'}}, '#/info'],
    [{components: {schemas: {A: {type: 'strin'}}}}, '#/components/schemas/A/type'],
    [{components: {schemas: {A: {type: 'string', minLength: -1}}}}, '#/components/schemas/A/minLength'],
    [{paths: answering({})}, '#/paths/~1a/get/responses/200'],
    [{paths: answering({description: 'x', content: {'application/json': {schema: {enum: 1}}}})}, '#/paths/~1a/get/responses/200/content/application~1json/schema/enum'],
    [{paths: {'/a': {gett: {}}}}, '#/paths/~1a/gett'],
  ]) {
    const found = await faults({...good, ...bad});
    assert.ok(found.some((fault) => fault.startsWith(place + ':')), `${JSON.stringify(bad)}: ${found}`);
  }
});
