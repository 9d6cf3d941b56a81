/** The pages of plans, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { listIssues } from '#features/issues/list-issues.ts'
import { listPlans } from '#features/plans/list-plans.ts'
import { planWork } from '#features/plans/plan-work.ts'
import { runForge } from '../../features/oauth/running.ts'

const PAGE = '/acme/site/plans'
const REPO = { repo: 'acme/site' }

test('a plan is written, changed and applied', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo('acme/site', { as: ada })
  const browser = await forge.browser('ada')
  const empty = await browser.open(PAGE)
  expect(empty.html).toContain('No plans yet')
  expect(empty.html).toContain('No model makes plans yet, so enter the issues yourself.')
  expect(empty.html).toContain('href="/acme/-/integrations/models"')
  const refused = await browser.press(empty.html, PAGE, { brief: 'Bake <bread>', titles: '' })
  expect([refused.status, refused.html.includes('Bake &lt;bread>')]).toEqual([422, true])
  expect(refused.html).toContain('No model is set for plan')
  await browser.press(empty.html, PAGE, {
    brief: 'Bake bread',
    titles: 'Knead\nProve\nBake\nEat',
  })
  const plans = async () => (await forge.call(listPlans, ada, REPO)).items
  const [plan] = await plans()
  const at = `${PAGE}/${plan?.id ?? ''}`
  expect(plan?.issues.map(({ depends_on }) => depends_on)).toEqual([[], [1], [2], [3]])
  const { html } = await browser.open(at)
  const circle = await browser.press(html, `${at}/issues`, {
    position: '1',
    title: 'Knead well',
    depends_on: '2',
  })
  expect([circle.status, circle.html.includes('value="Knead well"')]).toEqual([422, true])
  await browser.press(html, `${at}/issues`, {
    position: '3',
    title: 'Bake hot',
    depends_on: '1, 2',
    checks: 'make bread\nmake tea',
    size: 'large',
  })
  await browser.press(html, `${at}/issues`, { position: '2', title: 'Prove', do: 'remove' })
  await browser.press(html, `${at}/issues`, { position: '0', title: 'Wash up' })
  expect((await plans())[0]?.issues).toMatchObject([
    { title: 'Knead', depends_on: [] },
    { title: 'Bake hot', depends_on: [1], checks: ['make bread', 'make tea'], size: 'large' },
    { title: 'Eat', depends_on: [2] },
    { title: 'Wash up', depends_on: [] },
  ])
  const ready = await browser.open(at)
  expect(ready.html).not.toContain('name="assign"')
  expect(ready.html).toContain('Choose a model')
  await browser.press(ready.html, `${at}/apply`, { keep: ['1', '2', '4'] })
  const { items } = await forge.call(listIssues, ada, REPO)
  expect(items.map(({ title, blocked_by }) => [title, blocked_by.length])).toEqual([
    ['Wash up', 0],
    ['Bake hot', 1],
    ['Knead', 0],
  ])
  const applied = await browser.open(at)
  expect(applied.html).toContain('left out')
  expect(applied.html).not.toContain('Apply plan')
  await forge.user('eve')
  const reader = await (await forge.browser('eve')).open(PAGE)
  expect([reader.status, reader.html.includes('Create plan')]).toEqual([200, false])
})

test('a plan of fifty long issues is below 100 KB, and each can be read, changed and kept', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo('acme/site', { as: ada })
  const browser = await forge.browser('ada')
  const open = async (address: string) => {
    const { status, html } = await browser.open(address)
    expect([address, status, Buffer.byteLength(html) < 100_000]).toEqual([address, 200, true])
    return html
  }
  const COUNT = 50
  const plan = await forge.call(planWork, ada, {
    ...REPO,
    brief: 'Bake bread. '.repeat(400),
    issues: Array.from({ length: COUNT }, (_, at) => ({
      title: `Issue ${at + 1} ${'with a long title '.repeat(13)}`,
      body: `Begin${at + 1} ${'Some *text* with `code` & more. '.repeat(200)} End${at + 1}.`,
      labels: Array.from({ length: 10 }, (_unused, label) => `label ${label}`),
      checks: ['npm test', 'npm run build'],
      paths: ['src/a.ts', 'src/b.ts'],
    })),
  })
  const at = `${PAGE}/${plan.id}`
  const html = await open(at)
  expect(html.match(/name="keep"/g)).toHaveLength(COUNT)
  for (const position of [1, COUNT]) {
    expect(html).toContain(`Begin${position} `)
    expect(html).not.toContain(`End${position}.`)
    expect(html).toContain(`href="${at}/issues/${position}"`)
    const whole = await open(`${at}/issues/${position}`)
    for (const part of [`End${position}.`, 'label 9', 'npm run build', 'src/b.ts'])
      expect(whole).toContain(part)
    expect(html).toContain(`href="${at}?edit=${position}"`)
    const form = await open(`${at}?edit=${position}`)
    expect(form).toContain(`End${position}.`)
    const saved = await browser.press(form, `${at}/issues`, { body: `Short${position}` })
    expect([saved.status, saved.location]).toEqual([303, at])
    expect(await open(at)).toContain(`Short${position}`)
  }
  expect((await browser.open(`${at}/issues/51`)).status).toBe(404)
})
