import { expect, test } from 'bun:test'
import { anonymous, type Caller } from '#core/caller.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { jump } from '#features/search/jump.ts'
import { makeWorld, withToken } from '../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
await world.workspace('acme', { owner: ada })
await world.repo('acme/harbour', { as: ada })
await world.repo('acme/hidden', { as: ada, private: true })
await world.call(createIssue, ada, { repo: 'acme/harbour', title: 'Light the lamp' })
await world.call(createIssue, ada, { repo: 'acme/hidden', title: 'Nobody may know' })
await world.jobs()

const paths = async (caller: Caller, query: string, repo?: string) =>
  (await world.call(jump, caller, { query, ...(repo ? { repo } : {}) })).items.map(
    ({ path }) => path,
  )

test('letters lead to repositories and pages, and at last to the search', async () => {
  expect(await paths(anonymous, 'harb')).toEqual(['/acme/harbour', '/search?q=harb'])
  expect(await paths(anonymous, 'iss', 'acme/harbour')).toEqual([
    '/acme/harbour/issues',
    '/acme/harbour/issues/new',
    '/acme/harbour/search?q=iss',
    '/search?q=iss',
  ])
  for (const [words, path] of [
    ['wiki', '/wiki'],
    ['jobs', '/runs'],
    ['contrib', '/insights'],
  ] as const)
    expect(await paths(anonymous, words, 'acme/harbour')).toContain(`/acme/harbour${path}`)
  expect(await paths(anonymous, 'secrets', 'acme/harbour')).not.toContain(
    '/acme/harbour/settings/variables',
  )
  expect(await paths(ada, 'secrets', 'acme/harbour')).toContain('/acme/harbour/settings/variables')
  expect(await paths(ada, 'token')).toEqual(['/settings/tokens', '/search?q=token'])
  expect(await paths(anonymous, 'token')).toEqual(['/search?q=token'])
})

test('numbers lead to issues, here or in a repository that is named', async () => {
  expect((await paths(anonymous, '#1', 'acme/harbour'))[0]).toBe('/acme/harbour/issues/1')
  expect((await paths(anonymous, '1', 'acme/harbour'))[0]).toBe('/acme/harbour/issues/1')
  expect((await paths(anonymous, 'acme/harbour#1'))[0]).toBe('/acme/harbour/issues/1')
  expect(await paths(anonymous, '#7', 'acme/harbour')).not.toContain('/acme/harbour/issues/7')
})

test('nothing of what is hidden is shown', async () => {
  expect((await paths(ada, 'hidden'))[0]).toBe('/acme/hidden')
  expect((await paths(ada, 'acme/hidden#1'))[0]).toBe('/acme/hidden/issues/1')
  for (const caller of [anonymous, await world.user('eve'), withToken(ada, { repos: [] })]) {
    for (const [query, repo] of [
      ['hid'],
      ['acme/hidden#1'],
      ['#1', 'acme/hidden'],
      ['issues', 'acme/hidden'],
    ] as const) {
      expect(
        (await paths(caller, query, repo)).filter(
          (path) => path.includes('hidden') && !path.startsWith('/search'),
        ),
      ).toEqual([])
    }
  }
  expect((await paths(withToken(ada, { scopes: ['repo:read'] }), 'acme/hidden#1'))[0]).toStartWith(
    '/search',
  )
})

test('letters lead to files of the repository, and to settings for those who may open them', async () => {
  await world.repo('acme/code', { as: ada })
  await world.commit('acme/code', 'main', { 'src/a file.ts': 'x', 'README.md': '# Code' })
  expect(await paths(anonymous, 'a f', 'acme/code')).toContain(
    '/acme/code/blob/main/src/a%20file.ts',
  )
  expect(await paths(anonymous, 'readme', 'acme/code')).toContain('/acme/code/blob/main/README.md')
  expect(await paths(anonymous, 'collab', 'acme/code')).not.toContain(
    '/acme/code/settings/collaborators',
  )
  expect(await paths(ada, 'collab', 'acme/code')).toContain('/acme/code/settings/collaborators')
  expect(await paths(ada, 'backups')).not.toContain('/admin/backups')
  await world.repo('acme/vault', { as: ada, private: true })
  await world.commit('acme/vault', 'main', { 'secret-plan.md': 'x' })
  for (const caller of [anonymous, withToken(ada, { scopes: ['repo:read'] })])
    expect((await paths(caller, 'secret-plan', 'acme/vault')).join()).not.toContain('blob')
})
