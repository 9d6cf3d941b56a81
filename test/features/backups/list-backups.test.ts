import { expect, test } from 'bun:test'
import { createBackup } from '#features/backups/create-backup.ts'
import { listBackups } from '#features/backups/list-backups.ts'
import { refusal } from '../../world.ts'
import { folder, makeFurnished } from './forge.ts'

test('the newest comes first, with what was copied and what was new', async () => {
  const { world, ada } = await makeFurnished({ to: folder() })
  expect(await world.call(listBackups, ada, {})).toEqual([])
  const first = await world.call(createBackup, ada, { name: '  spring  ' })
  await world.jobs()
  world.clock.advance(1000)
  const second = await world.call(createBackup, ada, {})
  const [waiting, done] = await world.call(listBackups, ada, {})
  expect(waiting).toMatchObject({ id: second.id, state: 'queued', files: null })
  expect(done).toMatchObject({
    id: first.id,
    name: 'spring',
    state: 'done',
    repositories: 2,
    scheduled: false,
    error: null,
  })
  expect(done?.added_bytes ?? 0).toBeGreaterThan(0)
  expect(done?.bytes ?? 0).toBeGreaterThan(done?.added_bytes ?? 0)
  expect(await refusal(world.call(listBackups, await world.user('bob'), {}))).toMatchObject({
    code: 'forbidden',
    reason: 'role',
  })
}, 120_000)
