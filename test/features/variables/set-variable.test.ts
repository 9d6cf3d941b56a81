import { describe, expect, test } from 'bun:test'
import { getVariable } from '#features/variables/get-variable.ts'
import { listVariables } from '#features/variables/list-variables.ts'
import { createProject } from '#features/workspaces/create-project.ts'
import { refusal, withToken } from '../../world.ts'
import { makeVariablesWorld, REPO, WORKSPACE } from './fixture.ts'

describe('setting a variable', () => {
  test('makes it once, then changes it, and keeps what is left out', async () => {
    const { variable, ada, world } = await makeVariablesWorld()
    const made = await variable('region', { value: 'eu', note: ' where it\nruns ' })
    expect(made).toMatchObject({
      name: 'REGION',
      kind: 'variable',
      value: 'eu',
      scope: 'repository',
      repo: 'acme/site',
      available_to: ['workflows', 'deployments'],
      environments: [],
      projects: [],
      note: 'where it runs',
      updated_by: { username: 'ada' },
    })
    world.clock.advance(1000)
    const changed = await variable('Region', { value: 'us' })
    expect([changed.id, changed.value, changed.note]).toEqual([made.id, 'us', 'where it runs'])
    expect(changed.updated_at > made.updated_at).toBe(true)
    expect((await variable('REGION', { note: null })).value).toBe('us')
    expect((await world.call(listVariables, ada, REPO)).items.map(({ note }) => note)).toEqual([
      null,
    ])
  })

  test('has a row for each set of environments', async () => {
    const { variable, world, ada } = await makeVariablesWorld()
    const all = await variable('REGION', { value: 'eu' })
    const live = await variable('REGION', {
      value: 'us',
      environments: ['production', 'live', 'live'],
    })
    expect([live.id === all.id, live.environments]).toEqual([false, ['live', 'production']])
    const again = await variable('REGION', { value: 'asia', environments: ['live', 'production'] })
    expect(again.id).toBe(live.id)
    const { items } = await world.call(getVariable, ada, { ...REPO, setting: 'region' })
    expect(items.map(({ value }) => value)).toEqual(['asia', 'eu'])
  })

  test('an id names the row, and two rows cannot be for the same', async () => {
    const { variable } = await makeVariablesWorld()
    const all = await variable('REGION', { value: 'eu' })
    const live = await variable('REGION', { value: 'us', environments: ['live'] })
    const refused = await refusal(variable('REGION', { id: live.id, environments: [] }))
    expect([refused.status, refused.reason, refused.details]).toEqual([
      409,
      'already_exists',
      { id: all.id },
    ])
    expect(
      (await variable('REGION', { id: live.id, available_to: ['deployments'], environments: [] }))
        .id,
    ).toBe(live.id)
    const other = await variable('OTHER', { value: 'x' })
    expect((await refusal(variable('REGION', { id: other.id, value: 'y' }))).status).toBe(404)
    expect((await refusal(variable('REGION', { id: all.id }, WORKSPACE))).status).toBe(404)
  })

  test('refuses names of the dialect, values that no process can have, and a new row without one', async () => {
    const { variable } = await makeVariablesWorld()
    for (const name of ['CI_X', 'github_token', 'Hearth_RUN', '1A', 'A-B', ''])
      expect([name, (await refusal(variable(name, { value: 'x' }))).field]).toEqual([
        name,
        'setting',
      ])
    expect((await refusal(variable('A', { value: 'a\0b' }))).field).toBe('value')
    expect((await refusal(variable('A', {}))).field).toBe('value')
    expect((await refusal(variable('A', { value: 'x'.repeat(65_537) }))).field).toBe('value')
    expect((await refusal(variable('A', { value: 'x', environments: ['  '] }))).field).toBe(
      'environments[0]',
    )
    expect((await variable('CI', { value: '' })).value).toBe('')
  })

  test('names projects of the workspace, and none on a repository', async () => {
    const { variable, world, ada } = await makeVariablesWorld()
    await world.call(createProject, ada, { ...WORKSPACE, slug: 'shop', name: 'Shop' })
    const made = await variable('REGION', { value: 'eu', projects: ['shop'] }, WORKSPACE)
    expect([made.scope, made.repo, made.projects]).toEqual(['workspace', null, ['shop']])
    expect(
      (await refusal(variable('REGION', { value: 'x', projects: ['shop', 'no'] }, WORKSPACE)))
        .field,
    ).toBe('projects[1]')
    expect((await refusal(variable('REGION', { value: 'x', projects: ['shop'] }))).field).toBe(
      'projects',
    )
  })
})

test('a repository has a thousand rows at most', async () => {
  const { variable, world, repo } = await makeVariablesWorld()
  await world.write((tx) => {
    for (let n = 0; n < 1_000; n++)
      tx.db.run(
        `INSERT INTO setting_rows (id, kind, repo_id, name, value, available_to, environments,
          projects, created_at, updated_at)
         VALUES (?, 'variable', ?, ?, '', '["workflows"]', '[]', '[]', ?, ?)`,
        `set_${String(n).padStart(26, '0')}`,
        repo.id,
        `N${n}`,
        tx.now,
        tx.now,
      )
  })
  expect((await refusal(variable('ONE_MORE', { value: 'x' }))).reason).toBe('limit_reached')
  expect((await variable('N5', { value: 'y' })).value).toBe('y')
})

test('a token needs the scope, a member is no owner, and a stranger learns nothing', async () => {
  const { variable, world, ada, bob, eve } = await makeVariablesWorld()
  await variable('REGION', { value: 'eu' })
  expect((await refusal(variable('A', { value: 'x' }, REPO, bob))).reason).toBe('role')
  expect((await refusal(variable('A', { value: 'x' }, WORKSPACE, bob))).reason).toBe('role')
  expect((await refusal(variable('A', { value: 'x' }, REPO, eve))).status).toBe(404)
  expect(
    (
      await refusal(
        variable('A', { value: 'x' }, REPO, withToken(ada, { scopes: ['secrets:read'] }) as never),
      )
    ).details,
  ).toEqual({ scope: 'secrets:admin' })
  expect((await world.call(listVariables, bob, REPO)).items.map(({ name }) => name)).toEqual([
    'REGION',
  ])
})
