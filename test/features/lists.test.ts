/** Lists ask the database no more often when they have more rows. */
import { expect, test } from 'bun:test'
import type { Caller } from '#core/caller.ts'
import type { Typed } from '#core/operation.ts'
import { listAuditLog } from '#features/audit/index.ts'
import { listCollaborators } from '#features/collaborators/index.ts'
import { ENTITY_KINDS } from '#features/context/schema.ts'
import { searchContext } from '#features/context/index.ts'
import { addComment, createIssue, listIssueEvents } from '#features/issues/index.ts'
import { remember } from '#features/memory/index.ts'
import { listWaiting } from '#features/overview/index.ts'
import { createPull } from '#features/pulls/index.ts'
import { createRelease, listReleases } from '#features/releases/index.ts'
import { listBranches, listTags } from '#features/repos/index.ts'
import { search } from '#features/search/index.ts'
import { listAllWorkspaces } from '#features/site/index.ts'
import { createTeam, listTeams } from '#features/teams/index.ts'
import { addMember } from '#features/workspaces/index.ts'
import { countQueries } from '../queries.ts'
import { makeWorld } from '../world.ts'

const REPO = 'acme/oven'

test('longer lists ask the database no more often', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  const ada = await world.user('ada')
  const acme = await world.workspace('acme', { owner: ada })
  await world.repo(REPO, { as: ada })
  await world.commit(REPO, 'main', { 'a.txt': 'oven\n' }, { as: ada })
  const first = await world.call(createIssue, ada, { repo: REPO, title: 'Oven' })
  let serial = 0
  const add = async (count: number) => {
    for (const end = serial + count; serial < end; serial++) {
      const person = await world.user(`person-${serial}`)
      await world.write((tx) =>
        addMember(tx, { workspace_id: acme.id, user_id: person.id, role: 'member' }),
      )
      await world.workspace(`bakery-${serial}`, { owner: ada })
      await world.repo(`acme/oven-${serial}`, { as: ada })
      await world.commit(`acme/oven-${serial}`, 'main', { 'a.md': '# Oven\n' }, { as: ada })
      await world.call(remember, ada, {
        repo: REPO,
        kind: 'fact',
        text: `Oven ${serial} has the number ${serial * 7919}.`,
      })
      await world.call(createTeam, ada, { workspace: 'acme', name: `Team ${serial}` })
      const { number } = await world.call(createIssue, person, {
        repo: REPO,
        title: `Oven ${serial}`,
        body: 'The oven is cold.',
      })
      for (const at of [first.number, number])
        await world.call(addComment, person, { repo: REPO, number: at, body: 'Which oven?' })
      const branch = `topic-${serial}`
      await world.commit(REPO, branch, { [`${branch}.txt`]: 'oven\n' }, { as: ada })
      await world.call(createPull, ada, { repo: REPO, branch, title: `Oven pull ${serial}` })
      await world.call(createRelease, ada, {
        repo: REPO,
        tag_name: `v${serial}`,
        name: `Oven ${serial}`,
      })
    }
    await world.jobs()
  }
  const asked = async <I, O>(operation: Typed<I, O>, input: NoInfer<I>, as: Caller = ada) => {
    const call = () => world.call(operation, as, input, { untrusted: () => {} })
    return (await countQueries(world.hearth, call)).queries
  }
  const counts = async () => ({
    // Memories and runs are read of each repository.
    context: await asked(searchContext, {
      workspace: 'acme',
      query: 'oven',
      kinds: ENTITY_KINDS.filter((kind) => kind !== 'memory' && kind !== 'run'),
    }),
    contextOfRepo: await asked(searchContext, { workspace: 'acme', repo: REPO, query: 'oven' }),
    code: await asked(search, { query: 'oven', type: 'code' }),
    audit: await asked(listAuditLog, { workspace: 'acme' }),
    branches: await asked(listBranches, { repo: REPO }),
    collaborators: await asked(listCollaborators, { repo: REPO }),
    events: await asked(listIssueEvents, { repo: REPO, number: first.number }),
    issues: await asked(search, { query: 'oven', type: 'issues' }),
    pulls: await asked(search, { query: 'oven', type: 'pulls' }),
    releases: await asked(listReleases, { repo: REPO }),
    tags: await asked(listTags, { repo: REPO }),
    teams: await asked(listTeams, { workspace: 'acme' }),
    waiting: await asked(listWaiting, {}),
    workspaces: await asked(listAllWorkspaces, {}, root),
  })
  await add(3)
  const few = await counts()
  await add(6)
  expect(await counts()).toEqual(few)
})
