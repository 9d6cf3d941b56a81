import { expect, test } from 'bun:test'
import { getIssue } from '#features/issues/get-issue.ts'
import { listImportedPeople } from '#features/imports/list-imported-people.ts'
import { mapImportedPerson } from '#features/imports/map-imported-person.ts'
import { makeForgeWorld } from './forge-fixture.ts'

const it = await makeForgeWorld()
const { world, ada, bob } = it
const peer = it.standIn('gitea_api')
const { repo } = await it.start('gitea_api', peer.url)
await world.jobs()
await peer.close()
const people = (await world.call(listImportedPeople, ada, { repo })).items
const idOf = (username: string): string => people.find((one) => one.username === username)?.id ?? ''

test('what a person wrote is theirs once an administrator said so, for good', async () => {
  const mapped = await world.call(mapImportedPerson, ada, {
    repo,
    id: idOf('zoe'),
    username: 'bob',
  })
  expect(mapped).toMatchObject({ username: 'zoe', mapped_to: { username: 'bob' } })
  const { issue, comments } = await world.call(getIssue, ada, { repo, number: 1 })
  expect(comments.every(({ author }) => author.username === 'bob')).toBe(true)
  expect(issue).toMatchObject({
    author: { username: 'ada (imported)' },
    assignees: [{ username: 'bob' }],
  })
  expect(
    world.hearth.db.all('SELECT action FROM audit_log WHERE action = ?', 'import.person_mapped'),
  ).toHaveLength(1)
  const again = world.call(mapImportedPerson, ada, { repo, id: idOf('zoe'), username: 'ada' })
  expect(await again.catch((error: unknown) => error)).toMatchObject({ code: 'conflict' })
})

test('nobody is named who is not of the workspace, and only administrators map', async () => {
  const stranger = world.call(mapImportedPerson, ada, { repo, id: idOf('ada'), username: 'eve' })
  expect(await stranger.catch((error: unknown) => error)).toMatchObject({ field: 'username' })
  const member = world.call(mapImportedPerson, bob, { repo, id: idOf('ada'), username: 'bob' })
  expect(await member.catch((error: unknown) => error)).toMatchObject({ code: 'forbidden' })
})
