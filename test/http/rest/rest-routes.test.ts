import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { errorOf, makeForge, NOTES } from '../forge.ts'

const forge = makeForge()
const { get, request, memory } = forge
const NOTE = '/api/v1/repos/acme/site/notes'

describe('addresses', () => {
  test('every route answers with and without v1, and with a slash at the end', async () => {
    for (const path of [
      '/api/v1/user',
      '/api/user',
      '/api/v1/user/',
      '/api/user/',
      '/api/version',
    ]) {
      const response = await get(path)
      expect([path, response.status]).toEqual([path, 200])
    }
  })

  test('unknown paths and versions are 404 with the error object', async () => {
    for (const path of [
      '/api/v2/user',
      '/api/v1/version',
      '/api/nothing',
      '/api/v1/repos/acme/site/notes/1/more',
      '/elsewhere',
      '/.well-known/nothing',
    ]) {
      const response = await get(path)
      expect(response.status).toBe(404)
      const error = await errorOf(response)
      expect(error.code).toBe('not_found')
      expect(error.request_id).toBe(response.headers.get('x-request-id'))
    }
  })

  test('another method is 405 and says which are possible', async () => {
    const response = await request('PUT', NOTE)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST')
    expect((await errorOf(response)).code).toBe('method_not_allowed')
  })

  test('encoded slashes stay in their segment, and the path of a file takes them as they are', async () => {
    const encoded = await (
      await get('/api/repos/acme/site/contents/src%2Fa%20b.ts?ref=topic%2Fone')
    ).json()
    expect(encoded).toEqual({
      repo: 'acme/site',
      path: 'src/a b.ts',
      ref: 'topic/one',
      encoding: 'utf-8',
      content: 'text',
    })
    const plain = await (await get('/api/v1/repos/acme/site/contents/src/deep/%C3%A4.ts/')).json()
    expect(plain).toMatchObject({ path: 'src/deep/ä.ts', ref: null })
  })

  test('broken percent-encoding is 400, in path and query', async () => {
    for (const path of [
      '/api/repos/acme/site/contents/%zz',
      '/api/repos/acme/%E0%A4%A/notes',
      `${NOTE}?state=%f`,
    ]) {
      const response = await get(path)
      expect([path, response.status]).toEqual([path, 400])
      expect((await errorOf(response)).code).toBe('bad_request')
    }
  })

  test('HEAD has the headers of GET and no body', async () => {
    for (const path of ['/api/v1/user', NOTE, '/api/', '/api/livez', '/api/openapi.json']) {
      const head = await request('HEAD', path)
      const full = await get(path)
      expect(head.status).toBe(200)
      expect(await head.text()).toBe('')
      expect(head.headers.get('content-type')).toBe('application/json')
      expect(head.headers.get('etag')).toBe(full.headers.get('etag'))
    }
  })

  test('browsers may ask from anywhere, without cookies', async () => {
    const response = await request('OPTIONS', NOTE, {
      as: null,
      headers: { origin: 'https://elsewhere.test' },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    expect(response.headers.get('access-control-allow-methods')).toContain('POST')
    expect((await get(NOTE)).headers.get('access-control-expose-headers')).toContain(
      'x-total-count',
    )
  })
})

describe('input', () => {
  test('path, query and body make one input; both spellings are taken', async () => {
    const response = await request('POST', NOTE, {
      json: {
        title: 'one',
        dueOn: 'today',
        entries: [{ toolName: 'ls', data: { camelCase: 1, snake_case: 2 } }],
        stranger: 1,
      },
    })
    expect(response.status).toBe(201)
    expect(memory.made.at(-1)).toEqual({
      repo: 'acme/site',
      title: 'one',
      due_on: 'today',
      entries: [{ tool_name: 'ls', data: { camelCase: 1, snake_case: 2 } }],
    })
  })

  test('both spellings that differ are 422, at any depth; equal ones pass', async () => {
    expect(
      (await request('POST', NOTE, { json: { title: 'one', due_on: 'a', dueOn: 'a' } })).status,
    ).toBe(201)
    const top = await request('POST', NOTE, { json: { title: 'one', due_on: 'a', dueOn: 'b' } })
    expect(top.status).toBe(422)
    expect((await errorOf(top)).field).toBe('due_on')
    const deep = await request('POST', NOTE, {
      json: { title: 'one', entries: [{ tool_name: 'a', toolName: 'b' }] },
    })
    expect(deep.status).toBe(422)
    expect((await errorOf(deep)).field).toBe('entries[0].tool_name')
  })

  test('the body cannot address something else than the path', async () => {
    await request('POST', NOTE, { json: { title: 'one', repo: 'acme/hidden', owner: 'evil' } })
    expect(memory.made.at(-1)).toEqual({ repo: 'acme/site', title: 'one' })
    const renamed = await (
      await request('POST', '/api/repos/acme/site/rename', { json: { name: 'other' } })
    ).json()
    expect(renamed).toEqual({ repo: 'acme/site', name: 'other' })
    const hook = await request('PUT', '/api/workspaces/acme/hook', {
      json: { url: 'x', repo: 'acme/site' },
    })
    expect(await hook.json()).toEqual({ of: 'workspace acme' })
    expect(
      await (
        await request('PUT', '/api/repos/acme/site/hook', { json: { url: 'x', workspace: 'acme' } })
      ).json(),
    ).toEqual({ of: 'repo acme/site' })
  })

  test('names like __proto__ change nothing', async () => {
    const response = await request('POST', NOTE, {
      body: '{"title":"one","__proto__":{"due_on":"x"},"constructor":1}',
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status).toBe(201)
    expect(memory.made.at(-1)).toEqual({ repo: 'acme/site', title: 'one' })
  })

  test('DELETE takes its input from the body or the query', async () => {
    const path = '/api/repos/acme/site/notes/a%2Fb'
    expect((await request('DELETE', `${path}?confirm=yes&forceIt=1`)).status).toBe(204)
    expect(memory.made.at(-1)).toEqual({
      repo: 'acme/site',
      label: 'a/b',
      confirm: 'yes',
      force_it: true,
    })
    const response = await request('DELETE', path, { json: { confirm: 'body' } })
    expect(response.status).toBe(204)
    expect(await response.text()).toBe('')
    expect(memory.made.at(-1)).toEqual({ repo: 'acme/site', label: 'a/b', confirm: 'body' })
    expect((await request('DELETE', path)).status).toBe(422)
  })

  test('arrays in a query are repeated or separated by commas, booleans are words', async () => {
    expect((await get(`${NOTE}?labels=a,b&labels=c&isPinned=1`)).status).toBe(200)
    const bad = await get(`${NOTE}?is_pinned=maybe`)
    expect(bad.status).toBe(422)
    expect((await errorOf(bad)).field).toBe('is_pinned')
    expect((await get(`${NOTE}?state=open&state=closed`)).status).toBe(422)
    expect((await get(`${NOTE}?page=0`)).status).toBe(422)
    expect((await get(`${NOTE}?state=other`)).status).toBe(422)
  })

  test('what is no JSON object is refused with its own status', async () => {
    const send = (body: BodyInit, type = 'application/json') =>
      request('POST', NOTE, { body, headers: { 'content-type': type } })
    expect((await send('{')).status).toBe(400)
    expect((await send(new Uint8Array([0x22, 0xff, 0x22]))).status).toBe(400)
    expect((await send('[1]')).status).toBe(422)
    expect((await send('null')).status).toBe(422)
    expect((await send('title=one', 'application/x-www-form-urlencoded')).status).toBe(415)
    expect((await send('{"title":"one"}', 'application/json; charset=utf-8')).status).toBe(201)
    expect(
      (await send(`{"title":"one","entries":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)).status,
    ).toBe(422)
    expect((await request('POST', NOTE)).status).toBe(422)
  })

  test('a body over the limit is 413, announced or counted, and does not run', async () => {
    const before = memory.made.length
    const announced = await request('POST', NOTE, { json: { title: 'x'.repeat(1024 * 1024 + 10) } })
    expect(announced.status).toBe(413)
    expect((await errorOf(announced)).code).toBe('too_large')
    const chunks = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 40; i++) controller.enqueue(new Uint8Array(64 * 1024).fill(32))
        controller.close()
      },
    })
    const counted = await request('POST', NOTE, {
      body: chunks,
      headers: { 'content-type': 'application/json' },
    })
    expect(counted.status).toBe(413)
    const small = await request('POST', '/api/v1/device/code', {
      as: null,
      json: { client_name: 'x'.repeat(5000) },
    })
    expect(small.status).toBe(413)
    expect(memory.made.length).toBe(before)
  })
})

describe('answers', () => {
  test('a list is the bare array with its headers, and spells the three names of REST', async () => {
    const response = await get(`${NOTE}?page=2&state=open`)
    const items = (await response.json()) as Record<string, unknown>[]
    expect(items.map(({ id }) => id)).toEqual(NOTES.slice(3, 6).map(({ id }) => id))
    expect(Object.keys(items[0]!)).toContain('resolvedBy')
    expect(Object.keys(items[0]!)).not.toContain('resolved_by')
    expect(response.headers.get('x-total-count')).toBe('7')
    const base = 'https://hearth.test/api/v1/repos/acme/site/notes?state=open&page='
    expect(response.headers.get('link')).toBe(
      `<${base}3>; rel="next", <${base}1>; rel="prev", <${base}1>; rel="first", <${base}3>; rel="last"`,
    )
    const past = await get(`/api/repos/acme/site/notes?page=9`)
    expect(await past.json()).toEqual([])
    expect(past.headers.get('link')).not.toContain('rel="next"')
    const uncounted = await get(`${NOTE}?state=closed`)
    expect(uncounted.headers.get('x-total-count')).toBeNull()
    expect(uncounted.headers.get('link')).not.toContain('rel="last"')
  })

  test('key paging reaches every item once', async () => {
    const seen: string[] = []
    let path: string | null = '/api/repos/acme/site/note-events'
    while (path) {
      const response: Response = await get(path)
      seen.push(...((await response.json()) as { id: string }[]).map(({ id }) => id))
      const next: string | undefined = /<https:\/\/hearth\.test([^>]+)>; rel="next"/.exec(
        response.headers.get('link') ?? '',
      )?.[1]
      path = next ?? null
    }
    expect(seen).toEqual(NOTES.map(({ id }) => id).reverse())
    expect((await get('/api/repos/acme/site/note-events?page=2')).status).toBe(422)
    // What is no id of such a thing names nothing; it is not compared with ids as text.
    for (const before of ['zzz', 'evt_1', NOTES[3]?.id.replace('evt_', 'cmt_')])
      expect((await get(`/api/repos/acme/site/note-events?before=${before}`)).status).toBe(404)
    const entries = await get('/api/repos/acme/site/note-entries?after=2')
    expect(entries.headers.get('link')).toContain('?after=6>; rel="next"')
  })

  test('a validator gives 304 without a body, weakly compared', async () => {
    const first = await get(NOTE)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toStartWith('W/"')
    for (const header of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const again = await get(NOTE, { headers: { 'if-none-match': header } })
      expect(again.status).toBe(304)
      expect(again.headers.get('etag')).toBe(etag)
      expect(await again.text()).toBe('')
    }
    expect((await get(NOTE, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
    expect((await get(`${NOTE}?page=2`)).headers.get('etag')).not.toBe(etag)
  })

  test('untrusted text is pointed at, as the REST answer is shaped', async () => {
    expect((await get(NOTE)).headers.get('x-untrusted')).toBe('/0/body, /1/body, /2/body')
    expect((await get(`${NOTE}/1`)).headers.get('x-untrusted')).toBe('/note/body')
    expect(await (await get(`${NOTE}/1`)).json()).toMatchObject({
      note: { resolvedBy: 3 },
      others: [{ resolvedBy: 3 }, { resolvedBy: null }],
    })
  })

  test('a link is a redirect', async () => {
    const response = await get('/api/repos/acme/site/zipball/topic%2Fone')
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe('https://hearth.test/archive/topic%2Fone')
  })

  test('a request id is kept when it is sane, and made when not', async () => {
    expect(
      (await get('/api/v1/user', { headers: { 'x-request-id': 'trace-1234.5' } })).headers.get(
        'x-request-id',
      ),
    ).toBe('trace-1234.5')
    const made =
      (
        await get('/api/v1/user', { headers: { 'x-request-id': 'no spaces "please"' } })
      ).headers.get('x-request-id') ?? ''
    expect(made).toMatch(/^[0-9a-f-]{36}$/)
    expect(
      forge.lines.some(
        ({ fields }) =>
          fields.request_id === made && fields.status === 200 && fields.caller === 'usr_ada',
      ),
    ).toBe(true)
  })

  test('refusals keep their reason and details; bugs tell nothing and are logged under their id', async () => {
    const clash = await request('POST', NOTE, { json: { title: 'clash' } })
    expect(clash.status).toBe(409)
    expect(await errorOf(clash)).toMatchObject({
      code: 'conflict',
      reason: 'already_exists',
      details: { number: 4 },
      field: null,
    })
    const bug = await request('POST', NOTE, { json: { title: 'bug' } })
    expect(bug.status).toBe(500)
    const text = await bug.text()
    expect(text).not.toContain('secret of the inside')
    const { error } = JSON.parse(text) as { error: { code: string; request_id: string } }
    expect(error.code).toBe('internal')
    const logged = forge.lines.find(
      ({ level, fields }) => level === 'error' && fields.request_id === error.request_id,
    )
    expect(String(logged?.fields.error)).toContain('secret of the inside')
  })
})

describe('repeated requests', () => {
  test('the first answer is given again, under its key and caller only', async () => {
    const headers = { 'idempotency-key': 'again-1' }
    const first = await request('POST', NOTE, { json: { title: 'once' }, headers })
    const made = memory.made.length
    const second = await request('POST', NOTE, { json: { title: 'once' }, headers })
    expect(second.status).toBe(201)
    expect(await second.json()).toEqual(await first.json())
    expect(first.headers.get('idempotent-replay')).toBeNull()
    expect(second.headers.get('idempotent-replay')).toBe('true')
    expect(memory.made.length).toBe(made)
    const other = await request('POST', NOTE, { json: { title: 'twice' }, headers })
    expect(other.status).toBe(422)
    expect((await errorOf(other)).reason).toBe('idempotency_mismatch')
    expect(
      (await request('POST', NOTE, { json: { title: 'once' }, headers, as: 'robot' })).headers.get(
        'idempotent-replay',
      ),
    ).toBeNull()
    expect(
      (
        await request('POST', NOTE, {
          json: { title: 'once' },
          headers: { 'idempotency-key': 'a b' },
        })
      ).status,
    ).toBe(422)
  })
})

test('a client that leaves while it sends does no harm', async () => {
  const socket = connect(forge.server.port, '127.0.0.1')
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  socket.write(
    `POST ${NOTE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada-secret\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"title":`,
  )
  socket.destroy()
  expect((await get('/api/v1/user')).status).toBe(200)
})
