import { expect, test } from 'bun:test'
import { openDatabase } from '#core/db.ts'
import { createSettingsToken } from '#features/accounts/tokens/create-settings-token.ts'
import { revokeToken } from '#features/accounts/tokens/revoke-token.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { startServer } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { makeWorld } from '../world.ts'
import { afterAll } from 'bun:test'
import { join } from 'node:path'

const world = await makeWorld()
const ada = await world.user('ada')
const workspace = await world.workspace('acme')
await world.repo('acme/site', { private: true })
const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog })
server.open(world.hearth)
afterAll(() => server.stop())

const token = async () =>
  await world.call(
    createSettingsToken,
    { ...ada, token: null, sign_in: 'sgn_test' },
    { name: 'memo' },
  )
const get = async (secret: string | null, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/api/v1/repos/acme/site`, {
    headers: { ...(secret === null ? {} : { authorization: `Bearer ${secret}` }), ...headers },
  })

test('the same question again is answered alike, with an id of its own, until something changes', async () => {
  const { secret } = await token()
  const first = await get(secret)
  const again = await get(secret)
  expect(await again.text()).toBe(await first.text())
  expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
  expect((await get(secret, { 'if-none-match': first.headers.get('etag') ?? '' })).status).toBe(304)

  await world.call(updateRepo, ada, { repo: 'acme/site', description: 'Changed' })
  expect(((await (await get(secret)).json()) as { description: string }).description).toBe(
    'Changed',
  )
})

test('what one caller was told is told to no other', async () => {
  const { secret } = await token()
  expect((await get(secret)).status).toBe(200)
  expect((await get(null)).status).toBe(404)
  expect((await get('hthu_nonsense')).status).toBe(401)
  expect((await get(secret)).status).toBe(200)
})

test('a revoked token and one whose time is over are refused at once', async () => {
  const made = await token()
  expect((await get(made.secret)).status).toBe(200)
  await world.call(revokeToken, ada, { id: made.id })
  expect((await get(made.secret)).status).toBe(401)

  const short = await token()
  expect((await get(short.secret)).status).toBe(200)
  world.clock.advance(400 * 86_400_000)
  expect((await get(short.secret)).status).toBe(401)
})

test('a change by another process is seen too', async () => {
  const { secret } = await token()
  expect(((await (await get(secret)).json()) as { private: boolean }).private).toBe(true)
  const other = openDatabase({ path: join(world.data, 'hearth.db') })
  other.run('UPDATE workspaces SET base_permission = ? WHERE id = ?', 'none', workspace.id)
  other.run('UPDATE repos SET description = ? WHERE name = ?', 'From elsewhere', 'site')
  other.close()
  expect(((await (await get(secret)).json()) as { description: string }).description).toBe(
    'From elsewhere',
  )
})

test('outputs of tools hold until something changes, for one credential and its arguments', async () => {
  const { secret } = await token()
  const call = async (args: Record<string, unknown>, bearer = secret) => {
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_repo', arguments: args },
      }),
    })
    const { result } = (await response.json()) as {
      result: { isError?: boolean; structuredContent: { description: string | null } }
    }
    return result.isError ? 'refused' : result.structuredContent.description
  }
  await world.call(updateRepo, ada, { repo: 'acme/site', description: 'One' })
  expect([await call({ repo: 'acme/site' }), await call({ repo: 'acme/site' })]).toEqual([
    'One',
    'One',
  ])
  await world.call(updateRepo, ada, { repo: 'acme/site', description: 'Two' })
  expect(await call({ repo: 'acme/site' })).toBe('Two')
  expect(await call({ repo: 'acme/none' })).toBe('refused')
  const eve = await world.user('eve')
  const other = await world.call(
    createSettingsToken,
    { ...eve, token: null, sign_in: 'sgn_eve' },
    { name: 'other' },
  )
  expect(await call({ repo: 'acme/site' }, other.secret ?? '')).toBe('refused')
  expect(await call({ repo: 'acme/site' })).toBe('Two')
})
