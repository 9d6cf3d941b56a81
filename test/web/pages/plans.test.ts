/** The pages of plans, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { listIssues } from '#features/issues/list-issues.ts'
import { listPlans } from '#features/plans/list-plans.ts'
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
