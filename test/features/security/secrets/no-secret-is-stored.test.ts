import { expect, test } from 'bun:test'
import { createCommit } from '#features/repos/commits/create-commit.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { bypassPushProtection } from '#features/security/secrets/bypass-push-protection.ts'
import { scanHistory } from '#features/security/secrets/scan-history.ts'
import { randomBase62 } from '#lib/hash.ts'
import { refusal } from '../../../world.ts'
import { makeSecretsWorld } from './fixture.ts'

/** Formats that are refused, and formats that only become alerts. */
const FORMATS: readonly ((random: string) => string)[] = [
  (random) => `ghp_${random.slice(0, 36)}`,
  (random) => `glpat-${random.slice(0, 20)}`,
  (random) => `sk-ant-api03-${random}`,
  (random) => `hf_${random.slice(0, 34)}`,
  (random) => `npm_${random.slice(0, 36)}`,
]

test('two hundred secrets that are refused, bypassed, pushed and scanned are in no row', async () => {
  const { world, ada, repo, main, commit, pushTo, alerts, configure } = await makeSecretsWorld()
  const planted = Array.from({ length: 200 }, (_, at) => {
    const format = FORMATS[at % FORMATS.length]
    return format === undefined ? '' : format(randomBase62(90))
  })
  const files = Object.fromEntries(planted.map((secret, at) => [`f${at}.env`, `T=${secret}\n`]))
  const bad = await commit(main, files)
  const { refused, lines } = await pushTo('bad', bad)
  expect(refused).toContain('holds a')
  const [first = ''] = planted
  await world.call(createIssue, ada, { repo, title: 'One', labels: [] })
  await refusal(world.call(addComment, ada, { repo, number: 1, body: `see ${first}` }))
  const file = { path: 'x.env', action: 'put' as const, content: first }
  const save = { repo, branch: 'main', new_branch: 'api', message: 'x', files: [file] }
  const { details } = await refusal(world.call(createCommit, ada, save))
  const [{ placeholder = '' } = {}] = details.findings as { placeholder: string }[]
  await world.call(bypassPushProtection, ada, { repo, placeholder, reason: 'will_fix_later' })
  await world.call(createCommit, ada, save)
  await configure({ push_protection: false })
  await pushTo('bad', bad)
  await world.jobs()
  await world.call(scanHistory, ada, { repo })
  await world.jobs()
  expect(world.hearth.db.one('SELECT count(*) AS n FROM secret_alerts')).toEqual({ n: 200 })
  const tables = world.hearth.db.all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`,
  )
  const stored = tables.map(({ name }) => [name, world.hearth.db.all(`SELECT * FROM "${name}"`)])
  const text = JSON.stringify([stored, await alerts(), refused, lines, details])
  expect(planted.filter((secret) => text.includes(secret))).toEqual([])
})
