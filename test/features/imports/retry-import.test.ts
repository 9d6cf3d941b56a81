import { expect, test } from 'bun:test'
import { createImport } from '#features/imports/create-import.ts'
import { getImport } from '#features/imports/get-import.ts'
import { retryImport } from '#features/imports/retry-import.ts'
import { git } from '../../git/support/real-git.ts'
import { refusal } from '../../world.ts'
import { makeImportWorld } from './fixture.ts'

const it = await makeImportWorld()
const { world, ada, eve } = it

test('after a failure it begins again in the same repository, once', async () => {
  const gate = Promise.withResolvers<void>()
  const server = it.backend({ gate: gate.promise })
  const { id } = await world.call(createImport, ada, {
    source: 'git',
    workspace: 'acme',
    url: `${server.url}/later.git`,
  })
  expect(await refusal(world.call(retryImport, ada, { id }))).toMatchObject({
    status: 409,
    reason: 'in_progress',
  })
  gate.resolve()
  await world.jobs()
  expect(await world.call(getImport, ada, { id })).toMatchObject({ state: 'failed' })
  await git(it.work, 'clone', '-q', '--mirror', it.source, 'later.git')
  expect(await refusal(world.call(retryImport, eve, { id }))).toMatchObject({ status: 404 })
  const again = await world.call(retryImport, ada, { id })
  expect(again.id).not.toBe(id)
  await world.jobs()
  expect(await world.call(getImport, ada, { id: again.id })).toMatchObject({ state: 'done' })
  expect(it.refs('acme/later')).toEqual(await it.wanted())
  expect(await refusal(world.call(retryImport, ada, { id }))).toMatchObject({
    status: 409,
    reason: 'not_empty',
  })
})
