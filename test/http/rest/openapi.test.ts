import { describe, expect, test } from 'bun:test'
import { docsData } from '#http/rest/api-reference.ts'
import { openApiDocument } from '#http/rest/openapi.ts'
import type { JsonSchema } from '#http/shape.ts'
import { makeForge } from '../forge.ts'

const forge = makeForge()
const document = await openApiDocument(forge.hearth)
const of = (method: string, path: string) => {
  const operation = document.paths[path]?.[method]
  if (!operation) throw new Error(`${method} ${path} is not described`)
  return operation
}
const NOTES = '/v1/repos/{owner}/{name}/notes'

describe('the description', () => {
  test('is served with a validator, at the site too', async () => {
    const response = await forge.get('/api/openapi.json', { as: null })
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)))
    const again = await forge.get('/openapi.json', {
      as: null,
      headers: { 'if-none-match': response.headers.get('etag') ?? '' },
    })
    expect(again.status).toBe(304)
  })

  test('says version, licence and release', () => {
    expect(document.openapi).toStartWith('3.1')
    expect(document.info).toMatchObject({
      version: '1',
      license: { name: 'MIT' },
      'x-release': '0.0.0-test',
    })
    expect(document.servers).toEqual([{ url: 'https://hearth.test/api' }])
  })

  test('a list is an array of the record, with its headers and pages', () => {
    const list = of('get', NOTES)
    expect(list.responses['200']).toMatchObject({
      headers: { Link: {}, 'X-Total-Count': {}, ETag: {} },
      content: {
        'application/json': {
          schema: { type: 'array', items: { $ref: '#/components/schemas/Note' } },
        },
      },
    })
    const names = (list.parameters ?? []).map((parameter) =>
      '$ref' in parameter ? parameter.$ref : `${parameter.in} ${parameter.name}`,
    )
    expect(names).toEqual([
      '#/components/parameters/owner',
      '#/components/parameters/name',
      'query state',
      'query labels',
      'query is_pinned',
      'query page',
      'query per_page',
    ])
    expect(list.security).toEqual([{ bearer: [] }, {}])
  })

  test('records spell the names of REST', () => {
    const note = document.components.schemas.Note as JsonSchema
    expect(Object.keys(note.properties ?? {})).toContain('resolvedBy')
    expect(note.required).toContain('resolvedBy')
    expect(note.properties?.resolvedBy).toEqual({ type: ['integer', 'null'] })
  })

  test('a body holds what the path does not', () => {
    const create = of('post', NOTES)
    const schema = create.requestBody?.content['application/json']?.schema
    expect(Object.keys(schema?.properties ?? {})).toEqual(['title', 'due_on', 'entries'])
    expect(schema?.required).toEqual(['title'])
    expect(create.responses['201']).toBeDefined()
    expect(create.description).toContain('issues:write')
    expect(create.security).toEqual([{ bearer: [] }])
    expect(create.parameters).toContainEqual({ $ref: '#/components/parameters/idempotency_key' })
  })

  test('redirects, empty answers and second routes are described as they are', () => {
    expect(of('get', '/repos/{owner}/{name}/zipball/{ref}').responses['302']).toMatchObject({
      headers: { Location: {} },
    })
    expect(of('delete', '/repos/{owner}/{name}/notes/{label}').responses['204']).not.toHaveProperty(
      'content',
    )
    expect(of('put', '/repos/{owner}/{name}/hook').operationId).toBe('set_hook')
    expect(of('put', '/workspaces/{workspace}/hook').operationId).toBe('set_hook_in_workspace')
    expect(
      Object.keys(
        of('put', '/repos/{owner}/{name}/hook').requestBody?.content['application/json']?.schema
          .properties ?? {},
      ),
    ).toEqual(['url'])
  })
})

test('the reference says of every operation what it takes and answers', async () => {
  const docs = await docsData(forge.hearth)
  const all = docs.groups.flatMap(({ operations }) => operations)
  expect(all.map(({ id }) => id).sort()).toEqual(
    Object.values(document.paths)
      .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
      .sort(),
  )
  expect(all.find(({ id }) => id === 'create_note')).toMatchObject({
    method: 'POST',
    path: NOTES,
    status: '201',
    tool: 'create_note',
    curl: `curl -X POST -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"title":"…"}' "https://hearth.test/api/v1/repos/acme/site/notes"`,
  })
  expect(all.find(({ id }) => id === 'list_notes')).toMatchObject({ answer: 'array of Note' })
  expect(all.find(({ id }) => id === 'list_notes')?.inputs).toContainEqual({
    name: 'state',
    place: 'query',
    type: 'open, closed',
    required: false,
    description: '',
  })
  expect(docs.records.find(({ name }) => name === 'Note')?.fields).toContainEqual({
    name: 'resolvedBy',
    type: 'integer or null',
    description: '',
  })
})
