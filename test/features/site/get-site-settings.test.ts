import { expect, test } from 'bun:test'
import { getSiteSettings } from '#features/site/get-site-settings.ts'
import { makeWorld, refusal } from '../../world.ts'

const world = await makeWorld()
const root = await world.user('root', { site_admin: true })

test('every setting is listed with its source, and no secret', async () => {
  const { settings, all } = await world.call(getSiteSettings, root, {})
  expect(settings).toMatchObject({
    'accounts.sign_up': 'invite',
    'archives.max_files': 10_000,
    'backups.every': 'none',
    'limits.rate': false,
  })
  expect(all).toContainEqual({
    name: 'mail.url',
    value: 'set',
    changeable: false,
    source: 'file',
    help: 'SMTP server.',
  })
  expect(await refusal(world.call(getSiteSettings, await world.user('ada'), {}))).toMatchObject({
    code: 'forbidden',
  })
})
