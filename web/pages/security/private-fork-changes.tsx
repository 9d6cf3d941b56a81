// What a branch of a private fork changes. Its commits are in no repository, so nothing links to them.
import { encodePath } from '#lib/percent-encoding.ts'
import { getRepo, type Compare, type Repo } from '#features/repos/index.ts'
import { compareAdvisoryFork, getAdvisory, type Advisory } from '#features/security/index.ts'
import {
  Breadcrumbs,
  Icon,
  List,
  PageHead,
  RelativeTime,
  Row,
  Stat,
} from '../../components/index.ts'
import { shortSha } from '../../format.ts'
import { page } from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import {
  ChangeView,
  choiceInput,
  readChoice,
  showPart,
  type ChangeChoice,
  type ShownChange,
} from '../code/change-view.tsx'
import { repoOf, RepoFrame } from '../repos/frame.tsx'
import { securityPath } from './frame.tsx'

type Shown = {
  readonly repo: Repo
  readonly advisory: Advisory
  readonly branch: string
  readonly compared: Compare
  readonly shown: ShownChange<Compare['files'][number]>
  readonly choice: ChangeChoice
}

/** The commits of a private fork are in no repository. */
const versionsOf = (repo: Repo) => ({ repo: repo.full_name, sha: null })

export const privateForkChangesPage = page({
  path: '/:workspace/:repo/security/advisories/:advisory/compare/*branch',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const place = { repo: repo.full_name, id: visit.params.advisory ?? '' }
    const branch = visit.params.branch ?? ''
    const choice = readChoice(visit.url)
    const compared = await visit.call(compareAdvisoryFork, {
      ...place,
      branch,
      ...choiceInput(choice),
    })
    const shown = await showPart(visit, versionsOf(repo), compared.files, choice)
    return { repo, advisory: await visit.call(getAdvisory, place), branch, compared, shown, choice }
  },
  view: ({ repo, advisory, branch, compared, shown, choice }, visit) => {
    const own = securityPath(repo.full_name, `/advisories/${advisory.id}`)
    const here = `${own}/compare/${encodePath(branch)}`
    return (
      <RepoFrame
        visit={visit}
        repo={repo}
        title={t('Changes of {branch}', { branch })}
        current="security"
        width="wide"
        noindex
      >
        <Breadcrumbs
          parts={[
            { label: t('Advisories'), href: securityPath(repo.full_name, '/advisories') },
            { label: advisory.title, href: own },
            { label: branch },
          ]}
        />
        <PageHead
          title={t('Changes of {branch}', { branch })}
          lead={
            <>
              {rich('{commits} that {base} lacks.', {
                commits: tn('{count} commit', '{count} commits', compared.ahead),
                base: <code>{repo.default_branch}</code>,
              })}{' '}
              <Stat additions={compared.totals.additions} deletions={compared.totals.deletions} />
            </>
          }
        />
        <List label={t('Commits')}>
          {compared.commits.map((commit) => (
            <Row
              mark={<Icon name="commit" />}
              title={commit.title}
              meta={
                <>
                  <span>{commit.author.actor?.username ?? commit.author.name}</span>
                  <RelativeTime at={commit.author.date} now={visit.hearth.clock.now()} />
                </>
              }
              end={<code>{shortSha(commit.sha)}</code>}
            />
          ))}
        </List>
        <ChangeView
          visit={visit}
          shown={shown}
          totals={compared.totals}
          choice={choice}
          here={here}
          place={versionsOf(repo)}
        />
      </RepoFrame>
    )
  },
})
