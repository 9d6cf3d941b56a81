import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { react } from '#features/issues/comments/react.ts'
import { createRepo } from '#features/repos/lifecycle/create-repo.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { listDeletedRepos } from '#features/repos/lifecycle/list-deleted-repos.ts'
import { purgeDeleted } from '#features/repos/lifecycle/purge-job.ts'
import { purgeRepo } from '#features/repos/lifecycle/purge-repo.ts'
import { renameRepo } from '#features/repos/lifecycle/rename-repo.ts'
import { restoreRepo } from '#features/repos/lifecycle/restore-repo.ts'
import { DAY } from '#lib/time.ts'
import { agentOf, refusal } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

const repo = 'acme/site'

/** A repository with an issue, comments, a pull request with its fork, and an old name. */
async function makeFull() {
  const life = await makeLife()
  const { world, ada, eve, site } = life
  const number = await life.pull()
  await world.commit(`${repo}/pull/${number}`, 'main', { 'b.txt': 'b\n' }, { as: eve })
  const issue = await world.call(createIssue, eve, {
    repo,
    title: 'It leaks',
    body: 'Here',
    labels: ['bug'],
  })
  const first = await world.call(addComment, ada, { repo, number: issue.number, body: 'Yes' })
  await world.call(react, eve, { repo, id: first.id, content: 'heart' })
  await world.call(renameRepo, ada, { repo, name: 'web' })
  await world.call(renameRepo, ada, { repo: 'acme/web', name: 'site' })
  await world.jobs()
  const rows = () => {
    const tables = world.hearth.db.all<{ name: string }>(
      `SELECT m.name FROM sqlite_schema m WHERE m.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) WHERE name = 'repo_id') AND m.name NOT IN ('audit_log', 'events')`,
    )
    return tables
      .filter(({ name }) =>
        world.hearth.db.one(`SELECT 1 FROM ${name} WHERE repo_id = ? LIMIT 1`, site.id),
      )
      .map(({ name }) => name)
  }
  return { ...life, rows, store: join(world.data, 'repos', site.id) }
}

test('nothing is left of a purged repository but what the logs say', async () => {
  const { world, ada, site, rows, store, audits } = await makeFull()
  expect(rows()).toContain('records')
  expect(existsSync(store)).toBe(true)
  await world.call(deleteRepo, ada, { repo, confirm: repo })
  expect(await world.call(purgeRepo, ada, { repo, confirm: repo })).toBeNull()
  // Gone at once for everybody, before the job had its turn.
  expect((await world.call(listDeletedRepos, ada, { workspace: 'acme' })).items).toEqual([])
  for (const again of [
    world.call(restoreRepo, ada, { repo }),
    world.call(purgeRepo, ada, { repo, confirm: repo }),
    world.call(getRepo, ada, { repo }),
  ]) {
    expect((await refusal(again)).status).toBe(404)
  }
  expect(existsSync(store)).toBe(true)
  await world.jobs()
  expect(existsSync(store)).toBe(false)
  expect(rows()).toEqual([])
  expect(world.hearth.db.all('SELECT 1 FROM repos')).toEqual([])
  expect(world.hearth.db.all('SELECT 1 FROM record_fts')).toEqual([])
  expect(
    world.hearth.db.all(
      'SELECT 1 FROM comments UNION ALL SELECT 1 FROM pulls UNION ALL SELECT 1 FROM reactions',
    ),
  ).toEqual([])
  expect(
    world
      .events()
      .filter(({ repo_id }) => repo_id !== null)
      .map(({ type, data }) => [type, data]),
  ).toEqual([['repo.purged', { full_name: repo, purge_at: '2026-03-31T12:00:00.000Z' }]])
  expect(audits('repo.purged')).toMatchObject([
    { actor_id: ada.id, target_id: site.id, target_name: repo },
  ])
  expect(world.hearth.db.all('SELECT * FROM jobs WHERE state = ?', 'failed')).toEqual([])
  expect((await world.call(createRepo, ada, { workspace: 'acme', name: 'site' })).full_name).toBe(
    repo,
  )
})

test('an active repository is never purged, and a deleted one of its name is', async () => {
  const { world, ada, site } = await makeLife()
  expect(await refusal(world.call(purgeRepo, ada, { repo, confirm: repo }))).toMatchObject({
    status: 409,
    reason: 'not_available',
  })
  await world.call(deleteRepo, ada, { repo, confirm: repo })
  const second = await world.call(createRepo, ada, { workspace: 'acme', name: 'site' })
  expect(
    (await refusal(world.call(purgeRepo, ada, { repo, confirm: repo, id: second.id }))).status,
  ).toBe(409)
  await world.call(purgeRepo, ada, { repo, confirm: repo, id: site.id })
  await world.jobs()
  expect(world.hearth.db.all<{ id: string }>('SELECT id FROM repos')).toEqual([{ id: second.id }])
  expect((await world.call(getRepo, ada, { repo })).id).toBe(second.id)
})

test('the objects stay while another repository of the family needs them', async () => {
  const { world, ada, site, store } = await makeFull()
  const other = await world.repo('acme/other')
  await world.write((tx) => tx.db.run('UPDATE repos SET store = ? WHERE id = ?', site.id, other.id))
  await world.call(deleteRepo, ada, { repo, confirm: repo })
  await world.call(purgeRepo, ada, { repo, confirm: repo })
  await world.jobs()
  expect(existsSync(store)).toBe(true)
  expect(world.hearth.db.all<{ id: string }>('SELECT id FROM repos')).toEqual([{ id: other.id }])
})

test('only owners, in person, with the full name', async () => {
  const { world, ada, bob, eve, site, admins } = await makeLife()
  await admins()
  await world.call(deleteRepo, ada, { repo, confirm: repo })
  for (const caller of [bob, eve])
    expect((await refusal(world.call(purgeRepo, caller, { repo, confirm: repo }))).status).toBe(404)
  expect(
    (
      await refusal(
        world.call(purgeRepo, agentOf(ada, site, { id: 'agt_1' }), { repo, confirm: repo }),
      )
    ).reason,
  ).toBe('person_required')
  expect(await refusal(world.call(purgeRepo, ada, { repo, confirm: 'site' }))).toMatchObject({
    status: 422,
    field: 'confirm',
  })
  await world.jobs()
  expect(world.events('repo.purged')).toEqual([])
  expect((await world.call(restoreRepo, ada, { repo })).id).toBe(site.id)
})

test('the sweep purges after 30 days, not before, and once', async () => {
  const { world, ada, store } = await makeFull()
  await world.call(deleteRepo, ada, { repo, confirm: repo })
  const sweep = () =>
    purgeDeleted.run(
      { hearth: world.hearth, signal: new AbortController().signal, attempt: 1, id: 'bgj_1' },
      null,
    )
  world.clock.advance(30 * DAY - 1)
  await sweep()
  expect(world.events('repo.purged')).toEqual([])
  world.clock.advance(1)
  await sweep()
  await sweep()
  expect(
    world.events('repo.purged').map(({ actor_id, data }) => [actor_id, data.full_name]),
  ).toEqual([[null, repo]])
  await world.jobs()
  expect(existsSync(store)).toBe(false)
  expect(world.hearth.db.all('SELECT 1 FROM repos')).toEqual([])
})

test('many records go in parts, each short, and threads go with what they answer', async () => {
  const { world, ada, site } = await makeFull()
  const { number } = await world.call(createIssue, ada, { repo, title: 'Long talk' })
  await world.hearth.writer.write(() => {
    const { database } = world.hearth
    for (let n = 1; n <= 450; n++) {
      const id = `cmt_${String(n).padStart(26, '0')}`
      const answers = n % 2 === 0 ? `cmt_${String(n - 1).padStart(26, '0')}` : null
      database.run(
        `INSERT INTO comments (id, repo_id, number, author_id, body, in_reply_to, created_at, updated_at) VALUES (?, ?, ?, ?, 'So', ?, 'x', 'x')`,
        id,
        site.id,
        number,
        ada.id,
        answers,
      )
    }
  })
  await world.call(deleteRepo, ada, { repo, confirm: repo })
  await world.call(purgeRepo, ada, { repo, confirm: repo })
  const left: number[] = []
  const count = () =>
    world.hearth.db.one<{ n: number }>('SELECT count(*) AS n FROM comments')?.n ?? 0
  const { writer } = world.hearth
  const write = writer.write.bind(writer)
  writer.write = async (run) => {
    const before = count()
    const result = await write(run)
    if (count() !== before) left.push(before - count())
    return result
  }
  await world.jobs()
  expect(count()).toBe(0)
  expect(Math.max(...left)).toBeLessThanOrEqual(200)
  expect(left.length).toBeGreaterThan(2)
  expect(world.hearth.db.all('SELECT * FROM jobs WHERE state = ?', 'failed')).toEqual([])
})

test('what one pull request or issue has very many of goes in parts too', async () => {
  const { world, ada, site, rows } = await makeFull()
  const { database, writer } = world.hearth
  const pull = database.one<{ id: string; number: number }>(
    'SELECT id, number FROM pulls WHERE repo_id = ?',
    site.id,
  )
  if (!pull) throw new Error('there is no pull request')
  await writer.write(() => {
    for (let n = 1; n <= 3000; n++) {
      database.run(
        `INSERT INTO session_entries (pull_id, seq, kind, text, at, truncated, redacted) VALUES (?, ?, 'text', 'x', 'x', 0, 0)`,
        pull.id,
        n + 10,
      )
      database.run(
        `INSERT INTO pull_touches (pull_id, repo_id, path, ranges) VALUES (?, ?, ?, '[]')`,
        pull.id,
        site.id,
        `file-${n}`,
      )
      database.run(
        `INSERT INTO cross_references (target_repo_id, target, repo_id, number, text_id, created_at) VALUES (?, '1', ?, ?, ?, 'x')`,
        site.id,
        site.id,
        pull.number,
        `txt_${n}`,
      )
    }
  })
  await world.call(deleteRepo, ada, { repo, confirm: repo })
  await world.call(purgeRepo, ada, { repo, confirm: repo })
  const changes = () => database.one<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0
  const steps: number[] = []
  const write = writer.write.bind(writer)
  writer.write = async (run) =>
    write(() => {
      const before = changes()
      const result = run()
      steps.push(changes() - before)
      return result
    })
  await world.jobs()
  expect(rows()).toEqual([])
  expect(steps.reduce((sum, n) => sum + n, 0)).toBeGreaterThan(9000)
  expect(Math.max(...steps)).toBeLessThan(1500)
})
