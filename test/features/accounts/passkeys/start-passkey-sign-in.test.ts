import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { startPasskey } from '#features/accounts/passkeys/start-passkey.ts'
import { startPasskeySignIn } from '#features/accounts/passkeys/start-passkey-sign-in.ts'
import { makeWorld } from '../../../world.ts'

test('a site without host name or https has no passkeys', async () => {
  for (const site_url of [
    'http://127.0.0.1:3000',
    'https://192.0.2.1',
    'http://git.example.com',
    'http://[::1]:3000',
  ]) {
    const plain = await makeWorld({ site_url })
    expect([
      site_url,
      await plain.call(startPasskeySignIn, anonymous, {}),
      await plain.call(startPasskey, await plain.user('ada'), {}),
    ]).toEqual([site_url, null, null])
  }
})
