import { expect, test } from 'bun:test'
import { removeCollaborator } from '#features/collaborators/remove-collaborator.ts'
import { addAdvisoryCollaborator } from '#features/security/forks/add-advisory-collaborator.ts'
import { getAdvisoryFork } from '#features/security/forks/get-advisory-fork.ts'
import { refusal } from '../../../world.ts'
import { makeForkWorld, REPO } from './fixture.ts'

test('an invitation gives the fork, and never the code of a private repository', async () => {
  const { world, ada, rita, id, open, invite } = await makeForkWorld({ private: true })
  await open()
  expect(await refusal(invite('eve'))).toMatchObject({ status: 409, reason: 'not_available' })
  expect((await refusal(invite('nobody'))).status).toBe(404)
  expect(await invite('rita')).toMatchObject({
    user: { username: 'rita' },
    added_by: { username: 'ada' },
  })
  expect(await invite('@rita')).toMatchObject({ user: { username: 'rita' } })
  const seen = () => world.call(getAdvisoryFork, rita, { repo: REPO, id })
  expect((await seen()).state).toBe('ready')
  // The invitation lasts as long as the person reads the repository.
  await world.call(removeCollaborator, ada, { repo: REPO, username: 'rita' })
  expect((await refusal(seen())).status).toBe(404)
  const audit = world.hearth.db.all<{ action: string }>(
    `SELECT action FROM audit_log WHERE action LIKE 'security.advisory_coll%'`,
  )
  expect(audit).toHaveLength(1)
})

test('only who manages advisories invites', async () => {
  const { world, mel, ivy, id, invite } = await makeForkWorld()
  await invite('ivy')
  for (const who of [mel, ivy])
    expect(
      (await refusal(world.call(addAdvisoryCollaborator, who, { repo: REPO, id, username: 'eve' })))
        .status,
    ).toBe(403)
})
