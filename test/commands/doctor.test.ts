import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { layout } from '#src/app.ts'
import { openDatabase } from '#core/db.ts'
import { isolationOf } from '#features/checks/index.ts'
import { repoByPath } from '#features/repos/index.ts'
import { describeIsolation } from '#runner'
import { makeWorld } from '../world.ts'

/** Runs the program as it is in the tree. */
async function doctor(data: string) {
  const child = Bun.spawn([process.execPath, 'src/main.ts', 'doctor', '--data', data], { cwd: join(import.meta.dir, '..', '..'), stdout: 'pipe', stderr: 'pipe', env: { PATH: '/nonexistent', HOME: '/nonexistent' } })
  const [out, error, status] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited])
  return { out, error, status }
}

test('a sound forge is called sound; each kind of damage is found, named, and changes the exit status', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const commands = `acceptance checks: ${describeIsolation(await isolationOf(world.hearth))}\n`
  await world.workspace('acme', { owner: ada })
  await world.workspace('other', { owner: ada })
  await world.repo('acme/site')
  await world.commit('acme/site', 'main', { 'a.txt': 'a\n'.repeat(2000) })
  expect(await doctor(world.data)).toEqual({ out: `database: sound\naudit log: sound\ngit stores: sound\n${commands}`, error: '', status: 0 })

  // Somebody rewrites the log, past the triggers that forbid it.
  const database = openDatabase({ path: layout(world.data).database })
  database.exec('DROP TRIGGER audit_log_is_not_changed')
  database.run(`UPDATE audit_log SET actor_id = 'usr_other' WHERE id = (SELECT min(id) FROM audit_log)`)
  const second = database.one<{ id: string }>('SELECT id FROM audit_log ORDER BY id LIMIT 1 OFFSET 1')?.id ?? 'none'
  const rewritten = await doctor(world.data)
  expect([rewritten.status, rewritten.out]).toEqual([1, `database: sound\naudit log: 1 fault\n  the chain is broken at ${second}: an entry before it was changed or taken out\ngit stores: sound\n${commands}`])

  // A row that points at nothing, and a pack with a byte that is not as it was.
  database.exec('PRAGMA foreign_keys = OFF')
  database.run(`INSERT INTO members (workspace_id, user_id, role, joined_at) VALUES ('wsp_gone', ?, 'member', '2026-01-01T00:00:00.000Z')`, ada.id)
  database.close()
  const store = join(layout(world.data).repos, repoByPath(world.hearth.db, 'acme/site')?.store ?? '')
  const file = readdirSync(store, { recursive: true }).map(String).find((name) => name.endsWith('.pack')) ?? ''
  const bytes = readFileSync(join(store, file))
  bytes[bytes.length - 30] = (bytes[bytes.length - 30] ?? 0) ^ 0xff
  writeFileSync(join(store, file), bytes)
  const { out, status } = await doctor(world.data)
  expect(status).toBe(1)
  expect(out).toContain('database: 1 fault\n  a row of members points at nothing in workspaces')
  expect(out).toMatch(/git stores: \d+ faults?\n {2}rep_/)
}, 60_000)

test('it needs a forge, and does not bring an old one up to date', async () => {
  const world = await makeWorld()
  expect(await doctor(join(world.data, 'nowhere'))).toMatchObject({ out: '', status: 1 })
  const database = openDatabase({ path: layout(world.data).database })
  database.run(`DELETE FROM migrations WHERE name = (SELECT max(name) FROM migrations)`)
  database.close()
  const { out, error, status } = await doctor(world.data)
  expect([out, status, error.includes('run hearth migrate first')]).toEqual(['', 1, true])
}, 60_000)
