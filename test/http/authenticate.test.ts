import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { bearerSecret, signInCookie, visitorOf } from '#http/authenticate.ts'
import { cookieValues } from '#lib/cookies.ts'
import { Refusal } from '#lib/errors.ts'
import { ada, bob, errorOf, makeForge } from './forge.ts'

const forge = makeForge()
const { get, request, memory } = forge
const METADATA = 'resource_metadata="https://hearth.test/.well-known/oauth-protected-resource/api"'

describe('over REST', () => {
  test('a token is taken whatever the case of its scheme', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'token', 'Token']) {
      const response = await get('/api/v1/user', {
        as: null,
        headers: { authorization: `${scheme} ada-secret` },
      })
      expect(await response.json()).toMatchObject({ username: 'ada' })
    }
  })

  test('without a token public things are read, and what needs an account is 401 with a challenge', async () => {
    expect((await get('/api/v1/repos/acme/site/notes', { as: null })).status).toBe(200)
    const response = await get('/api/v1/user', { as: null })
    expect(response.status).toBe(401)
    expect((await errorOf(response)).code).toBe('unauthenticated')
    expect(response.headers.get('www-authenticate')).toBe(`Bearer realm="hearth", ${METADATA}`)
  })

  test('a bad token is 401 everywhere and never anonymous', async () => {
    for (const authorization of [
      'Bearer wrong',
      'Bearer',
      'Bearer  ',
      'token wrong',
      'Tokens ada-secret',
      'Basic YWRhOmFkYS1zZWNyZXQ=',
      'ada-secret',
      `Bearer ${'x'.repeat(5000)}`,
    ]) {
      const response = await get('/api/v1/repos/acme/site/notes', {
        as: null,
        headers: { authorization },
      })
      expect([authorization.slice(0, 20), response.status]).toEqual([
        authorization.slice(0, 20),
        401,
      ])
      expect(response.headers.get('www-authenticate')).toBe(
        `Bearer realm="hearth", error="invalid_token", ${METADATA}`,
      )
    }
  })

  test('a token in the address is refused', async () => {
    const secret = `hthu_${'a'.repeat(46)}`
    for (const query of [
      'access_token=ada-secret',
      `x=1&token=${secret}`,
      `access_token=${secret}`,
    ]) {
      const response = await get(`/api/v1/repos/acme/site/notes?${query}`, { as: null })
      expect(response.status).toBe(401)
      expect(await response.text()).not.toContain(secret)
    }
    expect(JSON.stringify(forge.lines)).not.toContain(secret)
  })

  test('two different credentials are 400', async () => {
    const response = await get('/api/v1/user', {
      as: null,
      headers: { authorization: 'Bearer ada-secret, Bearer bob-secret' },
    })
    expect(response.status).toBe(400)
    expect(
      (
        await get('/api/v1/user', {
          as: null,
          headers: { authorization: 'Bearer ada-secret, Bearer ada-secret' },
        })
      ).status,
    ).toBe(200)
  })

  test('the cookie of the website counts for nothing', async () => {
    const response = await get('/api/v1/user', {
      as: null,
      headers: { cookie: 'hearth=ada; __Host-hearth=ada' },
    })
    expect(response.status).toBe(401)
  })

  test('a missing scope is named in body and challenge, and nothing runs', async () => {
    const made = memory.made.length
    const response = await request('POST', '/api/v1/repos/acme/site/notes', {
      as: 'reader',
      json: { title: 'one' },
    })
    expect(response.status).toBe(403)
    expect(await errorOf(response)).toMatchObject({
      code: 'forbidden',
      reason: 'scope',
      details: { scope: 'issues:write' },
    })
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer realm="hearth", error="insufficient_scope", scope="issues:write", ${METADATA}`,
    )
    expect(memory.made.length).toBe(made)
  })

  test('what cannot be seen is 404, and a robot is told of its bounds', async () => {
    expect((await get('/api/v1/repos/acme/hidden/notes', { as: 'bob' })).status).toBe(404)
    expect((await get('/api/v1/repos/acme/nowhere/notes', { as: 'bob' })).status).toBe(404)
    expect(
      (await errorOf(await get('/api/v1/repos/acme/hidden/notes', { as: 'robot' }))).reason,
    ).toBe('agent_outside_repository')
    expect(
      (await errorOf(await request('PATCH', '/api/user', { as: 'robot', json: {} }))).reason,
    ).toBe('person_required')
  })

  test('a stranger is refused before the body is looked at', async () => {
    const response = await request('POST', '/api/v1/repos/acme/site/notes', {
      as: null,
      body: 'not json',
      headers: { 'content-type': 'text/plain' },
    })
    expect(response.status).toBe(401)
  })
})

describe('on the website', () => {
  const visit = (headers: Record<string, string>) =>
    visitorOf(forge.hearth, new Request('https://hearth.test/', { headers }))
  const cookie = `${signInCookie(forge.hearth)}=`

  test('the cookie is bound to the host on https', () => {
    expect(cookie).toBe('__Host-hearth=')
    expect(
      signInCookie({
        ...forge.hearth,
        settings: { ...forge.hearth.settings, site_url: 'http://localhost:3000' },
      }),
    ).toBe('hearth')
  })

  test('a cookie or a token says who visits; an ended sign-in leaves the visitor signed out', () => {
    expect(visit({})).toBe(anonymous)
    expect(visit({ cookie: `theme=dark; ${cookie}ada` })).toBe(ada)
    expect(visit({ cookie: `${cookie}gone` })).toBe(anonymous)
    expect(visit({ cookie: 'hearth=ada' })).toBe(anonymous)
    expect(visit({ authorization: 'Bearer bob-secret' })).toBe(bob)
    expect(visit({ authorization: 'Basic eDp5', cookie: `${cookie}ada` })).toBe(ada)
    expect(visit({ authorization: 'Bearer ada-secret', cookie: `${cookie}ada` })).toBe(ada)
  })

  test('different credentials are 400, a bad token 401', () => {
    const status = (headers: Record<string, string>): number => {
      try {
        visit(headers)
        return 200
      } catch (error) {
        return error instanceof Refusal ? error.status : 500
      }
    }
    expect(status({ authorization: 'Bearer bob-secret', cookie: `${cookie}ada` })).toBe(400)
    expect(status({ cookie: `${cookie}ada; ${cookie}bob` })).toBe(400)
    expect(status({ authorization: 'Bearer wrong', cookie: `${cookie}ada` })).toBe(401)
  })
})

test('headers are read as they are meant', () => {
  expect(bearerSecret(null)).toBeNull()
  expect(bearerSecret('Bearer abc')).toBe('abc')
  expect(() => bearerSecret('Bearerabc')).toThrow()
  expect(cookieValues('a=1; b=2; a=3', 'a')).toEqual(['1', '3'])
  expect(cookieValues('aa=1; =2; b', 'a')).toEqual([])
})
