import { expect, test } from 'bun:test'
import { getBypassOffer } from '#features/security/secrets/get-bypass-offer.ts'
import { placeholderOf } from '#features/security/secrets/fingerprint.ts'
import { refusal } from '../../../world.ts'
import { makeSecretsWorld } from './fixture.ts'

test('only the person of a placeholder sees what it is about', async () => {
  const { world, ada, bob, repo, row } = await makeSecretsWorld()
  const offer = {
    fingerprint: 'f'.repeat(32),
    type: 'github-token',
    label: 'GitHub token',
    preview: 'ghp_••••Zz',
  }
  const made = (for_id: string) => placeholderOf(world.hearth, row().id, for_id, offer)
  const get = (placeholder: string) => world.call(getBypassOffer, ada, { repo, placeholder })
  const { fingerprint: _, ...shown } = offer
  expect(await get(made(ada.id))).toEqual(shown)
  expect((await refusal(get(made(bob.id)))).code).toBe('not_found')
})
