import { expect, test } from 'bun:test'
import { createProject } from '#features/workspaces/create-project.ts'
import { openSecrets, secretNamesFor, variablesFor } from '#features/variables/index.ts'
import { makeVariablesWorld, WORKSPACE } from './fixture.ts'

async function makeScope() {
  const made = await makeVariablesWorld()
  const { world, ada, repo } = made
  const workspace_id = world.hearth.facts.repo('acme/site', ada)?.workspace_id ?? ''
  const read = (environment: string | null = null) =>
    Object.fromEntries(
      variablesFor(world.hearth.db, { repo_id: repo.id, workspace_id, environment }),
    )
  return { ...made, workspace_id, read }
}

test('the repository wins over the workspace, then the environment, the project, the newest', async () => {
  const { world, ada, variable, read } = await makeScope()
  await world.call(createProject, ada, {
    ...WORKSPACE,
    slug: 'shop',
    name: 'Shop',
    repos: ['acme/site'],
  })
  await world.call(createProject, ada, { ...WORKSPACE, slug: 'other', name: 'Other' })
  await variable('A', { value: 'workspace' }, WORKSPACE)
  expect(read().A).toBe('workspace')
  await variable('A', { value: 'other project', projects: ['other'] }, WORKSPACE)
  expect(read().A).toBe('workspace')
  await variable('A', { value: 'project', projects: ['shop'] }, WORKSPACE)
  expect(read().A).toBe('project')
  await variable('A', { value: 'live in the workspace', environments: ['live'] }, WORKSPACE)
  expect([read().A, read('live').A]).toEqual(['project', 'live in the workspace'])
  await variable('A', { value: 'repository' })
  expect([read().A, read('live').A]).toEqual(['repository', 'repository'])
  await variable('A', { value: 'live', environments: ['live'] })
  expect([read().A, read('live').A, read('staging').A]).toEqual([
    'repository',
    'live',
    'repository',
  ])
})

test('jobs without an environment read what workflows may, those with one what deployments may', async () => {
  const { variable, read } = await makeScope()
  await variable('W', { value: '1', available_to: ['workflows'] })
  await variable('D', { value: '2', available_to: ['deployments'] })
  await variable('B', { value: '3' })
  expect([read(), read('live')]).toEqual([
    { W: '1', B: '3' },
    { D: '2', B: '3' },
  ])
})

test('another repository reads nothing of this one', async () => {
  const { world, ada, secret, variable, workspace_id } = await makeScope()
  await variable('A', { value: '1' })
  await secret('S', { value: 'hush' })
  await secret('T', { value: 'hush too' }, WORKSPACE)
  const other = await world.repo('acme/other', { as: ada })
  const scope = { repo_id: other.id, workspace_id, environment: null }
  expect([...variablesFor(world.hearth.db, scope)]).toEqual([])
  expect(secretNamesFor(world.hearth.db, scope)).toEqual(['T'])
  expect([...openSecrets(world.hearth, scope, null)]).toEqual([['T', 'hush too']])
})

test('an environment is named with the case of A to Z ignored, and by nothing that looks alike', async () => {
  const { variable, read } = await makeScope()
  await variable('A', { value: 'secret place', environments: ['k8s'] })
  await variable('B', { value: 'there too', environments: ['Überall'] })
  expect(read('K8S').A).toBe('secret place')
  // The Kelvin sign becomes k in lower case, and the database tells ü from Ü.
  expect(read('\u212A8s').A).toBeUndefined()
  expect([read('Überall').B, read('überall').B]).toEqual(['there too', undefined])
})
