import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createDeviceCode } from '#features/devices/create-device-code.ts'
import { decideDevice } from '#features/devices/decide-device.ts'
import { getDeviceRequest } from '#features/devices/get-device-request.ts'
import { refusal, withToken } from '../../world.ts'
import { runForge } from '../oauth/running.ts'

const forge = await runForge()
const ada = await forge.user('ada')

test('cross-site forms and tokens cannot approve a device', async () => {
  const { user_code } = await forge.call(createDeviceCode, anonymous, {})
  const browser = await forge.browser('ada')
  const { html } = await browser.open(`/device?code=${user_code}`)
  expect(
    (await browser.press(html, '/device', { decision: 'approve', csrf: 'guess' })).status,
  ).toBe(403)
  for (const [operation, input] of [
    [decideDevice, { code: user_code, decision: 'approve' as const }],
    [getDeviceRequest, { code: user_code }],
  ] as const) {
    expect(
      (
        await refusal(
          forge.call(operation as typeof decideDevice, withToken(ada, {}), input as never),
        )
      ).reason,
    ).toBe('person_required')
  }
  expect(
    (await refusal(forge.call(decideDevice, anonymous, { code: user_code, decision: 'approve' })))
      .code,
  ).toBe('unauthenticated')
  expect(forge.hearth.db.all(`SELECT * FROM device_codes WHERE state <> 'pending'`)).toEqual([])
})

test('each wrong code delays the next attempt of that user only', async () => {
  const { user_code } = await forge.call(createDeviceCode, anonymous, {})
  const guesser = await forge.user('guesser')
  const took = async (person: typeof ada, code: string) => {
    const began = performance.now()
    await forge.call(getDeviceRequest, person, { code }).catch(() => null)
    return performance.now() - began
  }
  const first = await took(guesser, 'BCDF-GHJK')
  await took(guesser, 'BCDF-GHJL')
  const third = await took(guesser, 'BCDF-GHJM')
  expect(third).toBeGreaterThan(Math.max(400, first))
  expect(await took(ada, user_code)).toBeLessThan(third)
})
