import { expect, test } from 'bun:test'
import { getPackage } from '#features/packages/get-package.ts'
import { listPackages } from '#features/packages/list-packages.ts'
import { listPackageAccess } from '#features/packages/access/list-package-access.ts'
import { removePackageAccess } from '#features/packages/access/remove-package-access.ts'
import { setPackageAccess } from '#features/packages/access/set-package-access.ts'
import { createTeam } from '#features/teams/create-team.ts'
import { setTeamMember } from '#features/teams/set-team-member.ts'
import { refusal } from '../../../world.ts'
import { makePackageWorld, npm, workspace } from '../fixture.ts'

test('a person gets, changes and loses a role', async () => {
  const { world, ada, mel, zoe, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  const set = (username: string, role: 'read' | 'write' | 'admin') =>
    world.call(setPackageAccess, ada, { ...npm('lib'), username, role })
  expect((await set('mel', 'read')).people).toMatchObject([
    { username: 'ada', role: 'admin' },
    { username: 'mel', role: 'read' },
  ])
  expect((await refusal(publish('lib', '1.1.0', {}, mel))).status).toBe(403)
  await set('mel', 'write')
  await publish('lib', '1.1.0', {}, mel)
  expect((await refusal(world.call(listPackageAccess, mel, npm('lib')))).status).toBe(403)
  // zoe is no member of the workspace.
  expect(await refusal(set(zoe.username, 'read'))).toMatchObject({ status: 422, field: 'username' })
  await world.call(removePackageAccess, ada, { ...npm('lib'), username: 'mel' })
  expect((await refusal(world.call(getPackage, mel, npm('lib')))).status).toBe(404)
  const actions = world.hearth.db.all<{ data: string }>(
    `SELECT data FROM audit_log WHERE action = 'package.access_changed'`,
  )
  expect(actions.map(({ data }) => JSON.parse(data))).toMatchObject([
    { user: 'mel', before: { role: null }, after: { role: 'read' } },
    { user: 'mel', before: { role: 'read' }, after: { role: 'write' } },
    { user: 'mel', before: { role: 'write' }, after: { role: null } },
  ])
})

test('a team gives its role to its members and to those of teams below', async () => {
  const { world, ada, mel, rita, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await world.call(createTeam, ada, { workspace, name: 'Web' })
  await world.call(createTeam, ada, { workspace, name: 'Icons', parent: 'web' })
  await world.call(setTeamMember, ada, { workspace, team: 'icons', username: 'mel' })
  const access = { ...npm('lib'), team: 'web' }
  expect((await world.call(setPackageAccess, ada, { ...access, role: 'write' })).teams).toEqual([
    { team: 'web', name: 'Web', role: 'write' },
  ])
  await publish('lib', '1.1.0', {}, mel)
  const names = async (who: typeof ada) =>
    (await world.call(listPackages, who, { workspace })).items.map(({ name }) => name)
  expect([await names(mel), await names(rita)]).toEqual([['lib'], []])
  await world.call(removePackageAccess, ada, access)
  expect(await names(mel)).toEqual([])
  const none = world.call(setPackageAccess, ada, { ...access, team: 'nobody', role: 'read' })
  expect((await refusal(none)).status).toBe(404)
})
