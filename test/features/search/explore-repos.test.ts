import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { exploreRepos } from '#features/search/explore-repos.ts'
import {
  listExploreChoices,
  listExploreRows,
  repoConditions,
} from '#features/search/store-queries.ts'
import { NO_FILTERS } from '#features/search/no-filters.ts'
import { searchScopeOf } from '#features/search/search-scope.ts'
import type { Db, SqlValue } from '#core/db.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { agentOf, makeWorld } from '../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
await world.workspace('acme', { owner: ada })
const site = await world.repo('acme/site', { as: ada })
await world.repo('acme/tool', { as: ada })
await world.repo('acme/vault', { as: ada, private: true })
await world.commit('acme/site', 'main', { 'a.ts': 'export const a = 1\n' })
await world.commit('acme/tool', 'main', { 'a.go': 'package a\n' })
await world.commit('acme/vault', 'main', { 'a.rs': 'fn a() {}\n' })
await world.call(updateRepo, ada, { repo: 'acme/site', topics: ['web', 'small'] })
await world.call(updateRepo, ada, { repo: 'acme/vault', topics: ['treasure'] })
await world.jobs()

const names = async (
  input: Parameters<typeof world.call<object, unknown>>[2],
  caller = anonymous as typeof ada | typeof anonymous,
) => (await world.call(exploreRepos, caller, input)).items.map(({ name }) => name).sort()

test('repositories are listed by language, topic and words', async () => {
  expect(await names({})).toEqual(['site', 'tool'])
  expect(await names({ language: 'go' })).toEqual(['tool'])
  expect(await names({ topic: 'web' })).toEqual(['site'])
  expect(await names({ q: 'too' })).toEqual(['tool'])
  expect(await names({ q: 'small' })).toEqual(['site'])
  expect(await names({ language: 'Rust' })).toEqual([])
  expect(await world.call(exploreRepos, anonymous, { sort: 'name', per_page: 1 })).toMatchObject({
    items: [{ name: 'site' }],
    total: 2,
    next: '2',
  })
})

test('choices tell nothing of what is private', async () => {
  const seen = await world.call(exploreRepos, anonymous, {})
  expect(seen.languages).toEqual([
    { name: 'Go', count: 1 },
    { name: 'TypeScript', count: 1 },
  ])
  expect(seen.topics.map(({ name }) => name).sort()).toEqual(['small', 'web'])
  const own = await world.call(exploreRepos, ada, {})
  expect(own.topics.map(({ name }) => name)).toContain('treasure')
  expect(own.items).toHaveLength(3)
  expect(
    await names({}, agentOf(ada, site, { id: 'agt_01h455vb4pex5vsknk084sn02q' }) as never),
  ).toEqual(['site'])
})

/** How SQLite answers each query, in the forge's own database instead of an attached one. */
function explaining(plans: string[]): Db {
  const { database, db } = world.hearth
  const explain = (sql: string, params: SqlValue[]): string => {
    const own = sql.replaceAll('forge.', '')
    const statement = database.raw.prepare<{ detail: string }, SqlValue[]>(
      `EXPLAIN QUERY PLAN ${own}`,
    )
    plans.push(...statement.all(...params).map(({ detail }) => detail))
    // A statement that stays open would keep the database from being closed.
    statement.finalize()
    return own
  }
  return {
    memos: null,
    currentMemos: () => new Map(),
    endReads: () => {},
    one: (sql, ...params) => db.one(explain(sql, params), ...params),
    all: (sql, ...params) => db.all(explain(sql, params), ...params),
  }
}

test('no row of a repository is read, and none are sorted, to list those pushed last', () => {
  for (const caller of [anonymous, ada]) {
    const plans: string[] = []
    const db = explaining(plans)
    const repos = repoConditions('repositories', searchScopeOf(world.hearth.db, caller), {
      ...NO_FILTERS,
      archived: true,
    })
    const filter = { piece: '', language: null, topic: null }
    const { ids, total } = listExploreRows(db, repos, filter, 'pushed', { limit: 30, offset: 0 })
    expect(ids).toHaveLength(total)
    expect(plans.filter((plan) => plan.includes('TEMP B-TREE'))).toEqual([])
    listExploreChoices(db, repos, 12)
    const reads = plans.filter((plan) => /^(SCAN|SEARCH) p\b/.test(plan))
    expect(reads).toHaveLength(4)
    expect(reads.filter((plan) => !plan.includes('USING COVERING INDEX'))).toEqual([])
  }
})
