/** Names of packages with slashes in addresses, as clients encode them and as people write them. */
import { expect, test } from 'bun:test'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { publishPackageVersion } from '#features/packages/publish-package-version.ts'
import { storeBlob } from '#core/blobs.ts'
import { runForge } from '../../features/oauth/running.ts'

type Answer = { status: number; body: Record<string, unknown> }

async function setUp(type: 'npm' | 'generic' | 'composer', name: string) {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada, members: [await forge.user('mel')] })
  await forge.repo('acme/site', { as: ada })
  const bytes = (async function* () {
    yield Buffer.from('content')
  })()
  const blob = await storeBlob(forge.hearth, bytes, { maxBytes: 100, digests: ['sha512'] })
  for (const version of ['1.0.0', '1.1.0'])
    await forge.call(publishPackageVersion, ada, {
      workspace: 'acme',
      package_type: type,
      package_name: name,
      publication: {
        version,
        digest: `sha256:${blob.sha256}`,
        metadata: {},
        piece: '{}',
        files: [],
      },
    } as never)
  const { secret } = await forge.call(createToken, ada, {
    name: 'all',
    scopes: ['packages:admin', 'code:write'],
  } as never)
  const ask = async (method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${forge.url}/api/v1/workspaces/acme/packages/${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    }
  }
  return { ask }
}

for (const [type, name] of [
  ['npm', '@acme/x'],
  ['composer', 'team/app'],
] as const)
  for (const [spelling, written] of [
    ['encoded', encodeURIComponent(name)],
    ['plain', name],
  ] as const)
    test(`${spelling} slashes of ${name} reach every route of packages`, async () => {
      const { ask } = await setUp(type, name)
      const at = `${type}/${written}`
      const rules = { keep_newest: 5, older_than_days: 30 }
      const steps: [string, string, number, object?][] = [
        ['GET', '', 200],
        ['PATCH', '', 200, { description: 'new' }],
        ['PUT', '/repository', 200, { repository: 'site' }],
        ['DELETE', '/repository', 200],
        ['GET', '/access', 200],
        ['PUT', '/access', 200, { username: 'mel', role: 'read' }],
        ['DELETE', '/access?username=mel', 200],
        ['PUT', '/retention', 200, rules],
        ['GET', '/retention', 200],
        ['GET', '/retention/preview', 200],
        ['DELETE', '/retention', 204],
        ['GET', '/versions', 200],
        ['GET', '/versions/1.0.0', 200],
        ['DELETE', '/versions/1.0.0', 200],
        ['POST', '/versions/1.0.0/restore', 200],
        ['DELETE', '', 200, { confirm: name }],
        ['POST', '/restore', 200],
      ]
      for (const [method, path, status, body] of steps) {
        const answer = await ask(method, at + path, body)
        expect([method, path, answer.status, answer.body]).toEqual([
          method,
          path,
          status,
          expect.anything(),
        ])
        if (path === '' || path === '/restore') expect(answer.body).toMatchObject({ name })
      }
    })

test('what fits no route is refused as it was', async () => {
  const { ask } = await setUp('npm', '@acme/x')
  expect((await ask('GET', 'npm/@acme/y')).status).toBe(404)
  expect((await ask('GET', 'npm/@acme%2Fx/nothing')).status).toBe(404)
  expect((await ask('GET', 'npm/@acme//x')).status).toBe(404)
  expect((await ask('PUT', 'npm/@acme/x/versions')).status).toBe(405)
  expect((await ask('GET', 'npm/@acme/%zz')).status).toBe(400)
  const pages = await ask('GET', 'npm/@acme/x/versions?per_page=1')
  expect(pages.body).toMatchObject([{ version: '1.1.0' }])
})
