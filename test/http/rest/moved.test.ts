import { expect, test } from 'bun:test'
import { errorOf, makeForge } from '../forge.ts'

const { request, get, server, memory } = makeForge()

test('a path with an old name leads to the same path under the new one, method and all', async () => {
  for (const prefix of ['/api', '/api/v1']) {
    const answer = await get(`${prefix}/repos/acme/old/notes?state=closed&x=%20y`)
    expect(answer.status).toBe(308)
    expect(answer.headers.get('location')).toBe(
      `${prefix}/repos/acme/site/notes?state=closed&x=%20y`,
    )
    expect(await errorOf(answer)).toMatchObject({
      code: 'not_found',
      reason: 'moved',
      details: { moved_to: 'acme/site' },
    })
  }
  expect((await get('/api/repos/acme/old/contents/a%2Fb/c')).headers.get('location')).toBe(
    '/api/repos/acme/site/contents/a%2Fb/c',
  )
  const posted = await request('POST', '/api/v1/repos/acme/old/notes', { json: { title: 'x' } })
  expect([posted.status, posted.headers.get('location')]).toEqual([
    308,
    '/api/v1/repos/acme/site/notes',
  ])
  expect(memory.made).toEqual([])
  // A client that follows ends where it wanted to be.
  const followed = await fetch(`${server.url}/api/v1/repos/acme/old/notes`, {
    method: 'POST',
    headers: { authorization: 'Bearer ada-secret', 'content-type': 'application/json' },
    body: '{"title":"moved"}',
  })
  expect(followed.status).toBe(201)
  expect(memory.made).toMatchObject([{ repo: 'acme/site', title: 'moved' }])
})

test('those who may not see the new place hear of nothing', async () => {
  for (const as of ['bob', null]) {
    const answer = await get('/api/v1/repos/acme/secret/notes', { as })
    expect(answer.status).toBe(404)
    expect(answer.headers.get('location')).toBeNull()
    expect(await answer.text()).not.toContain('hidden')
  }
  expect((await get('/api/v1/repos/acme/secret/notes')).headers.get('location')).toBe(
    '/api/v1/repos/acme/hidden/notes',
  )
})

test('a tool is told the new name', async () => {
  const answer = await request('POST', '/mcp', {
    json: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_notes', arguments: { repo: 'acme/old' } },
    },
    headers: { accept: 'application/json, text/event-stream' },
  })
  const { result } = (await answer.json()) as {
    result: { isError: boolean; structuredContent: { error: { code: string; message: string } } }
  }
  expect(result.isError).toBe(true)
  expect(result.structuredContent.error.code).toBe('not_found')
  expect(result.structuredContent.error.message).toContain('acme/site')
})
