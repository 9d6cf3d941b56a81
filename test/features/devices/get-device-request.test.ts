import { expect, test } from 'bun:test'
import { runForge } from '../oauth/running.ts'

const forge = await runForge()

test('a visitor signs in first; the empty page asks for the code, and knows none that is wrong', async () => {
  const visitor = await (await forge.browser(null)).open('/device?code=BCDF-GHJK')
  expect([visitor.status, visitor.location]).toEqual([
    302,
    `/login?next=${encodeURIComponent('/device?code=BCDF-GHJK')}`,
  ])
  const browser = await forge.browser('ada')
  expect((await browser.open('/device')).html).toContain('name="code"')
  const wrong = await browser.open('/device?code=BCDF-GHJK')
  expect([
    wrong.status,
    wrong.html.includes('no device waits with this code'),
    wrong.html.includes('name="decision"'),
  ]).toEqual([200, true, false])
})
