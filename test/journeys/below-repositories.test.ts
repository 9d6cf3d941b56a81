/**
 * Every page below repositories, as `pages.test.ts` visits the others, and what they do together.
 * Two workers share the journeys in the order of their names, so the two longest files are far apart.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { BRANCH } from '../tour/story.ts'
import { fileAt, NAMES } from '../tour/pages.ts'
import { deadLinks, look, startTour, type Tour } from './page-visits.ts'

const REPO = '/bakery/oven'

let tour: Tour
beforeAll(async () => {
  tour = await startTour()
}, 120_000)

describe('every page', () => {
  for (const name of NAMES.ofRepositories) {
    test(`${name} is there, accessible, fits a phone and looks as it did`, async () => {
      await look(tour, tour.page, name, tour.inside[name] ?? '')
      expect(tour.problems).toEqual([])
    }, 120_000)
  }
})

test('a commit with every kind of change shows each', async () => {
  await tour.page.goto(`${tour.forge.url}${tour.inside.commit}`)
  expect(await tour.page.locator('main .diff-file').count()).toBe(6)
})

test('every link of these pages leads somewhere', async () => {
  expect(tour.links.size).toBeGreaterThan(150)
  expect(await deadLinks(tour)).toEqual([])
}, 120_000)

test('the switch of branches leads to the nearest folder when the other branch has no such file', async () => {
  await tour.page.goto(`${tour.forge.url}${fileAt('empty.txt')}`)
  await tour.page.click('.code-bar .menu summary')
  await tour.page.click(`.code-bar .menu a:has-text("${BRANCH}")`)
  expect(new URL(tour.page.url()).pathname).toBe(`/bakery/odd/tree/${BRANCH}`)
  expect(
    (await tour.page.goto(`${tour.forge.url}${fileAt('empty.txt', 'blob', BRANCH)}`))?.status(),
  ).toBe(404)
})

test('a comment is changed in its place and deleted by its author', async () => {
  await tour.page.goto(`${tour.forge.url}${REPO}/issues/2`)
  await tour.page.fill('#field-body-new', 'First words')
  await tour.page.click('form[action$="/comments"] button[class*=primary]')
  await tour.page.click('.comment-menu summary')
  await tour.page.click('.comment-menu a:has-text("Edit")')
  await tour.page.fill('[name=text]', 'Second words')
  await tour.page.click('form[action$="/comments/edit"] button[class*=primary]')
  const changed = tour.page.locator('.timeline .comment-body', { hasText: 'Second words' })
  await changed.waitFor()
  await tour.page.click('.comment-menu summary')
  await tour.page.click('.comment-menu button:has-text("Delete")')
  await changed.waitFor({ state: 'detached' })
  expect(await tour.page.textContent('.timeline')).not.toContain('First words')
})

test('the address of a pull request’s diff and patch are what git takes', async () => {
  for (const [end, begin] of [
    ['diff', 'diff --git'],
    ['patch', 'From '],
  ] as const) {
    const response = await fetch(`${tour.forge.url}${REPO}/pull/4.${end}`)
    expect([response.status, (await response.text()).startsWith(begin)]).toEqual([200, true])
  }
})
