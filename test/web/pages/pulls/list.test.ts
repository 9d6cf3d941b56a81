/** The list of pull requests under filters that have to evaluate each of them. */
import { expect, test } from 'bun:test'
import { MAX_CANDIDATES } from '#features/pulls/computed-filters.ts'
import { closePull, createPull } from '#features/pulls/index.ts'
import { repoByPath } from '#features/repos/index.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'

test('a filter over too many pull requests is refused for their list alone', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': 'a\n' })
  const { pull } = await forge.call(createPull, ada, { repo: REPO, title: 'Closed long ago' })
  await forge.call(closePull, ada, { repo: REPO, number: pull.number })
  const { db } = forge.hearth
  const repo_id = repoByPath(db, REPO)?.id ?? ''
  // Copies of one pull request: making as many would take hours.
  await forge.write((tx) => {
    for (const [table, changed] of [
      ['records', { number: 'x.number + n.i', seq: 'x.seq + 100000 + n.i' }],
      ['pulls', { number: 'x.number + n.i', id: `x.id || '-' || n.i`, fork_id: 'NULL' }],
    ] as [string, Record<string, string>][]) {
      const names = db
        .all<{ name: string }>('SELECT name FROM pragma_table_info(?)', table)
        .map(({ name }) => name)
      const values = names.map((name) => changed[name] ?? `x.${name}`)
      tx.db.run(
        `INSERT INTO ${table} (${names.join()})
         WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MAX_CANDIDATES})
         SELECT ${values.join()} FROM ${table} x, n WHERE x.repo_id = ? AND x.number = ?`,
        repo_id,
        pull.number,
      )
    }
  })
  const read = async (query: string) => {
    const answer = await forge.get(`/${REPO}/pulls?${query}`, { accept: 'text/html' })
    return { status: answer.status, html: await answer.text() }
  }
  const open = await read('q=is:open+checks:failed')
  expect([open.status, open.html.includes('No pull requests match')]).toEqual([200, true])
  const closed = await read('q=is:closed+checks:failed')
  expect([closed.status, closed.html.includes('narrow the list')]).toEqual([422, true])
  expect((await read('q=is:closed+checks:none')).html).toContain('Closed long ago')
})
