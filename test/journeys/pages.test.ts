/**
 * Every page of a forge with something of everything in it, but those below repositories
 * (`below-repositories.test.ts`), signed in and not: it is there, axe-core finds no violation in
 * either scheme, it is no wider than a phone, every link leads somewhere, and it looks as it did.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { siteMap } from '#web/index.ts'
import { NAMES, OUTSIDE } from '../tour/pages.ts'
import { visitor } from './forge.ts'
import { leftover } from './kept-pictures.ts'
import { deadLinks, look, startTour, UNKEPT, type Tour } from './page-visits.ts'

const REPO = '/bakery/oven'

let tour: Tour
beforeAll(async () => {
  tour = await startTour()
}, 120_000)

describe('every page', () => {
  for (const name of NAMES.ofSite) {
    test(`${name} is there, accessible, fits a phone and looks as it did`, async () => {
      await look(tour, tour.page, name, tour.inside[name] ?? '')
      expect(tour.problems).toEqual([])
    }, 120_000)
  }
})

/** Pages that no address of the tour is for, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  '/setup': 'there is an account already; every journey begins there',
  '/settings': 'leads on',
  '/-/gallery': 'for development; test/web/gallery.test.ts',
  '/login/sso/:provider': 'leads on',
  '/login/sso/:provider/callback': 'leads on',
  '/settings/security/two-factor': 'journeys/sign-in.test.ts',
  '/oauth/authorize': 'test/web/sign-on.test.ts',
  '/invite/:id': 'needs a letter',
  '/notifications/unsubscribe/:token': 'needs a letter',
  '/:workspace/:repo/wiki/_change/:revision/*slug': 'test/web/pages/wiki.test.ts',
  '/:workspace/:repo/import': 'test/web/pages/import.test.ts',
  '/import/progress': 'test/web/pages/import-many.test.ts',
  '/:workspace/:repo/issues/new/choose': 'leads on; test/web/pages/issues/new.test.ts',
  '/:workspace/:repo/releases/latest': 'leads on',
  '/:workspace/:repo/releases/:id': 'leads on',
  '/:workspace/-/hooks/:id': 'as of a repository',
  '/:workspace/-/hooks/:id/deliveries/:delivery': 'as of a repository',
  '/:workspace/-/rulesets/:id': 'as of a repository',
  '/:workspace/:repo/security/secrets/bypass': 'test/web/pages/secrets.test.ts',
  '/:workspace/:repo/security/reports/follow/:secret': 'test/web/pages/reports.test.ts',
  '/:workspace/:repo/security/advisories/new': 'test/web/pages/reports.test.ts',
  '/:workspace/:repo/security/advisories/:advisory/compare/*branch':
    'test/web/pages/private-forks.test.ts',
  '/:workspace/:repo/security/secrets/:alert': 'test/web/pages/secrets.test.ts',
  '/:workspace/:repo/security/dependency-alerts/:alert': 'test/web/pages/dependencies.test.ts',
  '/:workspace/:repo/security/dependencies/sbom': 'test/web/pages/dependencies.test.ts',
  '/:workspace/:repo/security/secrets/patterns/:pattern': 'test/web/pages/secret-patterns.test.ts',
  '/:workspace/-/secret-patterns/:pattern': 'test/web/pages/secret-patterns.test.ts',
  '/:workspace/:repo/ask/:question': 'test/web/pages/asking.test.ts',
  '/:workspace/-/integrations/:id': 'test/web/pages/integrations.test.ts',
  '/:workspace/:repo/settings/hooks/:id/deliveries/:delivery': 'journeys/webhooks.test.ts',
  '/:workspace/:repo/pull/:number/text/:id': 'as of an issue',
  '/:workspace/:repo/commit/:sha/message': 'test/web/pages/long-records.test.ts',
  '/:workspace/:repo/commit/:sha/refs': 'test/system/page-sizes.ts',
  '/:workspace/:repo/milestones/:id': 'test/web/pages/long-records.test.ts',
  '/:workspace/-/packages/:type/:name/readme': 'test/system/page-sizes.ts',
  '/:workspace/:repo/pull/:number/session/entry/:seq': 'test/web/pages/long-records.test.ts',
  '/:workspace/:repo/pull/:number/thread/:id': 'test/web/pages/code/change-parts.test.ts',
  '/:workspace/:repo/pull/:number/dependencies': 'test/system/page-sizes.ts',
  '/:workspace/:repo/runs/:run/job/:job/summary': 'test/system/page-sizes.ts',
  '/:workspace/:repo/plans/:plan/issues/:position': 'web/pages/plans.test.ts',
  '/:workspace/:repo/pull/:number/commits/:sha': 'web/other-forges.test.ts',
}

test('no page of the site is left out', () => {
  const visited = [...Object.values(tour.inside), ...Object.values(OUTSIDE)].map(
    (path) => new URL(path, tour.forge.url).pathname,
  )
  const ofFork = (path: string): boolean => path.includes('/pull/:fork/')
  // The pages of the guide are alike; `/docs/operate` is visited.
  const ofGuide = (path: string): boolean => path.startsWith('/docs/')
  const left = siteMap(
    { development: true },
    { docs: () => Promise.reject(new Error('not asked')) as never },
  )
    .pages.map(({ path }) => path)
    .filter((path) => !ofFork(path) && !ofGuide(path) && !(path in ELSEWHERE))
    .filter(
      (path) =>
        !visited.some((one) =>
          new RegExp(
            `^${path
              .replace(/\.\w+$/, '\\$&')
              .replace(/:\w+/g, '[^/]+')
              .replace(/\*\w+/g, '.+')}$`,
          ).test(one),
        ),
    )
  expect(left).toEqual([])
})

test('so is every page for those without an account', async () => {
  const outside = await visitor()
  for (const [name, path] of Object.entries(OUTSIDE)) await look(tour, outside.page, name, path)
  expect(outside.problems).toEqual([])
}, 120_000)

test('so is what is shown in place of a page that is not there', async () => {
  await look(tour, tour.page, 'nowhere', '/nowhere/at/all', 404)
}, 120_000)

test('every link of these pages leads somewhere', async () => {
  expect(tour.links.size).toBeGreaterThan(100)
  expect(await deadLinks(tour)).toEqual([])
}, 120_000)

test('no picture is kept of a page that is no more', () => {
  const known = [...NAMES.ofSite, ...NAMES.ofRepositories, ...Object.keys(OUTSIDE), 'nowhere']
  expect(leftover(new Set(known.filter((name) => !UNKEPT.has(name))))).toEqual([])
})

test('a refused form keeps what was typed, and asking for its address again leads to its page', async () => {
  const name = 'Not A Name'
  await tour.page.goto(`${tour.forge.url}/bakery/-/new-team`)
  await tour.page.fill('[name=name]', name)
  await tour.page.fill('[name=slug]', name)
  await tour.page.click('main form[action$="/new-team"] button[class*=primary]')
  expect([
    await tour.page.inputValue('[name=name]'),
    await tour.page.inputValue('[name=slug]'),
    await tour.page.locator('[aria-invalid=true]').count(),
  ]).toEqual([name, name, 1])

  // A name that is typed and is not there is told beside its field as well.
  await tour.page.goto(`${tour.forge.url}/bakery/-/teams/bakers`)
  await tour.page.fill('input[name=repo]:not([type=hidden])', 'bakery/nothing')
  await tour.page.click('form[action$="/repos"] button:has-text("Add")')
  expect([
    await tour.page.inputValue('input[name=repo]:not([type=hidden])'),
    await tour.page.textContent('main .field-error'),
  ]).toEqual(['bakery/nothing', 'There is no repository bakery/nothing.'])

  const answer = await tour.page.goto(`${tour.forge.url}${REPO}/pull/4/reviews`)
  expect([answer?.status(), new URL(tour.page.url()).pathname]).toEqual([200, `${REPO}/pull/4`])
})
