import { expect, test } from 'bun:test'
import { addComment, createIssue } from '#features/issues/index.ts'
import { countQueries } from '../../queries.ts'
import { makeWorld } from '../../world.ts'

test('a new issue or comment reads its issue, repository and workspace once for all that follows', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.repo('acme/oven', { as: ada })
  const repo = 'acme/oven'
  const seen = async (run: () => Promise<unknown>) => {
    const texts: string[] = []
    const { metrics } = world.hearth
    const record = metrics.recordQuery.bind(metrics)
    metrics.recordQuery = (sql) => void texts.push(sql)
    await countQueries(world.hearth, run)
    metrics.recordQuery = record
    const count = (start: string) => texts.filter((sql) => sql.startsWith(start)).length
    return {
      issue: count('SELECT r.*, i.id'),
      // By its name for the rights, and by its id after the counts in its row have changed.
      repository: count('SELECT * FROM repos'),
      pull: count('SELECT * FROM pulls'),
    }
  }
  await world.call(createIssue, ada, { repo, title: 'Oven' })
  expect(await seen(() => world.call(createIssue, ada, { repo, title: 'Oven' }))).toEqual({
    issue: 1,
    repository: 2,
    pull: 0,
  })
  const comment = { repo, number: 1, body: 'Which oven?' }
  expect(await seen(() => world.call(addComment, ada, comment))).toEqual({
    issue: 0,
    repository: 2,
    pull: 1,
  })
})
