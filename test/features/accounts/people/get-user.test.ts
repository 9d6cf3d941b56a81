import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getUser } from '#features/accounts/people/get-user.ts'
import { makeWorld, refusal } from '../../../world.ts'

const world = await makeWorld()

describe('get_user', () => {
  test('shows a person to anyone, without the address', async () => {
    const ada = await world.user('ada')
    const shown = await world.call(getUser, anonymous, { username: 'ada' })
    expect(shown).toMatchObject({
      id: ada.id,
      kind: 'user',
      username: 'ada',
      html_url: 'https://hearth.test/ada',
      avatar_url: `https://hearth.test/avatars/${ada.id}.svg`,
    })
    expect(shown.email).toBeNull()
  })

  test('finds a name in any case', async () => {
    await world.user('ada')
    expect((await world.call(getUser, anonymous, { username: 'ADA' })).username).toBe('ada')
  })

  test('workspaces, agents and unknown names are not found', async () => {
    await world.workspace('acme', { owner: await world.user('ada') })
    for (const username of ['acme', 'nobody', 'ada/bot']) {
      expect((await refusal(world.call(getUser, anonymous, { username }))).code).toBe('not_found')
    }
  })
})
