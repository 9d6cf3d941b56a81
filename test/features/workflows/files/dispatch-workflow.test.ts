import { expect, test } from 'bun:test'
import { dispatchWorkflow } from '#features/workflows/files/dispatch-workflow.ts'
import { refusal } from '../../../world.ts'
import { FILE, makeRunsWorld, ONE_JOB, REPO } from '../fixture.ts'

const WITH_INPUTS = `name: Deploy
on:
  workflow_dispatch:
    inputs:
      place: { type: choice, options: [staging, live], required: true }
      dry: { type: boolean, default: true }
      copies: { type: number, default: 2 }
jobs:
  deploy:
    runs-on: ubuntu-latest
    steps: [{ run: deploy }]
`

async function makeDispatchWorld() {
  const made = await makeRunsWorld()
  await made.push({ [FILE]: ONE_JOB, '.hearth/workflows/deploy.yml': WITH_INPUTS })
  await made.drain()
  const row = made.hearth.db.one<{ id: string }>(
    `SELECT id FROM workflows WHERE path LIKE '%deploy.yml'`,
  )
  const dispatch = (input: object = {}, as = made.ada) =>
    made.world.call(dispatchWorkflow, as, { ...REPO, id: row?.id ?? '', ref: 'main', ...input })
  return { ...made, dispatch }
}

test('starts a run with typed inputs and the defaults of the file', async () => {
  const { dispatch, take, world, finish, run } = await makeDispatchWorld()
  const made = await dispatch({ inputs: { place: 'live', copies: '3' } })
  expect(made).toMatchObject({ event: 'dispatch', name: 'Deploy', status: 'queued' })
  await world.jobs()
  const job = await take()
  expect(job?.contexts.inputs).toEqual({ place: 'live', dry: true, copies: 3 })
  expect(job?.contexts.github).toMatchObject({
    event_name: 'workflow_dispatch',
    event: { inputs: { place: 'live', dry: 'true', copies: '3' } },
  })
  await finish(job)
  expect((await run(made.id)).conclusion).toBe('success')
})

test('refuses inputs that the file does not have, and branches without the file', async () => {
  const { dispatch, push, eve } = await makeDispatchWorld()
  for (const [inputs, field] of [
    [{}, 'inputs.place'],
    [{ place: 'moon' }, 'inputs.place'],
    [{ place: 'live', dry: 'maybe' }, 'inputs.dry'],
    [{ place: 'live', copies: 'many' }, 'inputs.copies'],
    [{ place: 'live', other: 'x' }, 'inputs.other'],
    [{ place: 'live', copies: { many: 1 } }, 'inputs.copies'],
    [{ place: ['live'] }, 'inputs.place'],
  ] as const)
    expect((await refusal(dispatch({ inputs }))).field).toBe(field)
  expect((await refusal(dispatch({ ref: 'nowhere', inputs: { place: 'live' } }))).field).toBe('ref')
  await push({ 'a.txt': 'a' }, { branch: 'bare' })
  const values = { inputs: { place: 'live' } }
  expect((await refusal(dispatch({ ...values, ref: 'bare' }))).field).toBe('ref')
  expect((await refusal(dispatch(values, eve))).reason).toBe('role')
})

test('starts on branches and tags only, also by their full names', async () => {
  const { dispatch, push, world, hearth } = await makeDispatchWorld()
  const head = await push({ 'a.txt': 'a' })
  await world.write((tx) =>
    tx.db.run(
      `INSERT INTO refs (repo_id, name, oid, moved_at) SELECT id, 'refs/changes/1', ?, '' FROM repos`,
      head,
    ),
  )
  const values = { inputs: { place: 'live' } }
  expect((await refusal(dispatch({ ...values, ref: 'refs/changes/1' }))).field).toBe('ref')
  expect((await dispatch({ ...values, ref: 'refs/heads/main' })).ref).toBe('refs/heads/main')
  expect(
    hearth.db.one(`SELECT count(*) AS runs FROM workflow_runs WHERE event = 'dispatch'`),
  ).toEqual({
    runs: 1,
  })
})

test('an input may be called like a part of every object', async () => {
  const { dispatch, push, take, drain, world } = await makeDispatchWorld()
  const text = WITH_INPUTS.replace('inputs:', 'inputs:\n      __proto__: { type: string }')
  await push({ '.hearth/workflows/deploy.yml': text })
  await drain()
  await dispatch({ inputs: JSON.parse('{"place":"live","__proto__":"kept"}') })
  await world.jobs()
  expect(Object.entries((await take())?.contexts.inputs ?? {})).toContainEqual([
    '__proto__',
    'kept',
  ])
})
