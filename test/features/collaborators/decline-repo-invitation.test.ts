import { describe, expect, test } from 'bun:test'
import { listRepoInvitations } from '#features/collaborators/list-repo-invitations.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { seeded } from './invitation-fixture.ts'

describe('what ends it', () => {
  test('a declined, withdrawn or expired invitation gives no role', async () => {
    const { world, out, ada, repo, invite, accept, decline, revoke, mine, roleOf } = await seeded()
    const first = await invite()
    expect((await decline(first.id)).state).toBe('declined')
    const second = await invite()
    expect((await revoke(second.id)).state).toBe('withdrawn')
    expect((await refusal(revoke(second.id))).reason).toBe('not_open')
    const third = await invite()
    world.clock.advance(7 * DAY + 1)
    for (const { id } of [first, second, third])
      expect((await refusal(accept(id))).reason).toBe('not_open')
    expect([await mine(), await roleOf(out)]).toEqual([[], 'nothing'])
    expect(
      (await world.call(listRepoInvitations, ada, { repo })).items.map(({ state }) => state),
    ).toEqual(['expired', 'withdrawn', 'declined'])
    expect((await invite()).state).toBe('pending')
    world.clock.advance(31 * DAY)
    expect((await world.call(listRepoInvitations, ada, { repo })).items).toEqual([])
    expect(world.events('repo.collaborator_added')).toEqual([])
  })
})
