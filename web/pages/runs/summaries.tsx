// What jobs wrote as their summaries, as Markdown. The pages of runs and jobs show the beginnings.
import { getRepo } from '#features/repos/index.ts'
import { getJob, getRun, listRunSummaries, type RunSummary } from '#features/workflows/index.ts'
import {
  Breadcrumbs,
  Card,
  MarkdownBody,
  PageHead,
  type MarkdownBodyOptions,
} from '../../components/index.ts'
import { jobPath, repoPath } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { LongTextBody, loadLongText, partTitle, rawText } from '../writing/long-text.tsx'
import { t } from '../../text.ts'

/** What all summaries have on a page, and what each has at least. Others are links. */
const MAX_BYTES = 24_000
const MIN_BYTES = 3_000
const MAX_LINKS = 100

const markdownOf = (visit: Visit, repo: string): MarkdownBodyOptions => ({
  page: visit.markdown,
  link: { siteUrl: visit.hearth.settings.site_url, repo },
})

export const Summaries = ({
  visit,
  repo,
  run,
  summaries,
}: {
  visit: Visit
  repo: string
  run: string
  summaries: readonly RunSummary[]
}) => {
  const pathOf = ({ job }: RunSummary) => `${jobPath(repo, run, job)}/summary`
  const maxBytes = Math.max(MIN_BYTES, Math.trunc(MAX_BYTES / Math.max(1, summaries.length)))
  const count = Math.trunc(MAX_BYTES / maxBytes)
  return (
    <>
      {summaries.slice(0, count).map((summary) => (
        <Card title={t('Summary of {name}', { name: summary.name })}>
          <MarkdownBody
            text={summary.markdown}
            options={markdownOf(visit, repo)}
            whole={{ href: pathOf(summary), maxBytes }}
          />
        </Card>
      ))}
      {summaries.length > count && (
        <Card title={t('More summaries')}>
          <ul>
            {summaries.slice(count, count + MAX_LINKS).map((summary) => (
              <li>
                <a href={pathOf(summary)}>{summary.name}</a>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}

export const summaryPage = page({
  path: '/:workspace/:repo/runs/:run/job/:job/summary',
  load: async (visit) => {
    const name = repoOf(visit)
    const repo = await visit.call(getRepo, { repo: name })
    const job = await visit.call(getJob, { repo: name, id: visit.params.job ?? '' })
    const run = await visit.call(getRun, { repo: name, id: job.run })
    const { items } = await visit.call(listRunSummaries, {
      repo: name,
      id: run.id,
      attempt: job.attempt,
      job: job.id,
    })
    const text = items[0]?.markdown ?? ''
    const options = markdownOf(visit, repo.full_name)
    return (
      rawText(visit, text) ?? { repo, run, job, text: await loadLongText(visit, text, options) }
    )
  },
  view: ({ repo, run, job, text }, visit) => {
    const title = t('Summary of {name}', { name: job.name })
    return (
      <RepoFrame visit={visit} repo={repo} title={partTitle(title, text)} current="runs" noindex>
        <Breadcrumbs
          parts={[
            {
              label: `${run.name} #${run.number}`,
              href: repoPath(repo.full_name, `/runs/${run.id}`),
            },
            { label: job.name, href: jobPath(repo.full_name, run.id, job.id) },
            { label: t('Summary') },
          ]}
        />
        <PageHead title={title} />
        <LongTextBody visit={visit} text={text} empty={t('The job wrote no summary.')} />
      </RepoFrame>
    )
  },
})
