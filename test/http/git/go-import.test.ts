import { expect, test } from 'bun:test'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { runForge } from '../../features/oauth/running.ts'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo('acme/hello', { as: ada })
  await forge.repo('acme/hidden', { as: ada, private: true })
  const { secret } = await forge.call(createToken, ada, { name: 'go', scopes: ['code:read'] })
  const ask = async (path: string, password: string | null = null) => {
    const response = await fetch(`${forge.url}${path}`, {
      redirect: 'manual',
      headers: password === null ? {} : { authorization: `Basic ${btoa(`ada:${password}`)}` },
    })
    return { status: response.status, text: await response.text() }
  }
  const host = forge.url.replace('http://', '')
  const tagOf = (repo: string) =>
    `<meta name="go-import" content="${host}/${repo} git ${forge.url}/${repo}.git">`
  return { ask, tagOf, secret: secret ?? '' }
}

test('the go command is told of public repositories, at any folder', async () => {
  const { ask, tagOf } = await setUp()
  for (const path of ['/acme/hello', '/acme/hello/', '/acme/hello/sub/folder']) {
    const { status, text } = await ask(`${path}?go-get=1`)
    expect([path, status]).toEqual([path, 200])
    expect(text).toContain(tagOf('acme/hello'))
  }
  expect((await ask('/acme/hello')).text).not.toContain('go-import')
  expect((await ask('/acme/hello?go-get=0')).text).not.toContain('go-import')
})

test('strangers hear the same of a private repository as of none', async () => {
  const { ask, tagOf, secret } = await setUp()
  const [hidden, missing, wrong] = [
    await ask('/acme/hidden?go-get=1'),
    await ask('/acme/nothing?go-get=1'),
    await ask('/acme/hidden?go-get=1', 'hth_wrong'),
  ]
  expect(hidden.status).toBe(missing.status)
  expect(hidden.status).not.toBe(200)
  for (const { text } of [hidden, missing, wrong]) expect(text).not.toContain('go-import')
  const own = await ask('/acme/hidden?go-get=1', secret)
  expect(own).toMatchObject({ status: 200 })
  expect(own.text).toContain(tagOf('acme/hidden'))
})
