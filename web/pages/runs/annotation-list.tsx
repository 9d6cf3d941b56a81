// What jobs reported, as a list: errors, warnings and notices, each with its place.
import type { Run, WorkflowJob } from '#features/workflows/index.ts'
import { lineAddress } from '#lib/line-address.ts'
import {
  changedLineHref,
  Icon,
  List,
  PageHead,
  Row,
  type IconName,
} from '../../components/index.ts'
import { codePath, jobPath, pullPath } from '../../paths.ts'
import { t, texts } from '../../text.ts'

type Annotation = WorkflowJob['annotations'][number]
type Level = Annotation['level']

export const LEVEL_LABELS = texts({ failure: 'Error', warning: 'Warning', notice: 'Notice' })
const LEVEL_STYLES: Readonly<Record<Level, { icon: IconName; tone: string }>> = {
  failure: { icon: 'close', tone: 'bad' },
  warning: { icon: 'warning', tone: 'wait' },
  notice: { icon: 'info', tone: 'info' },
}

export const LevelMark = ({ level }: { level: Level }) => {
  const { icon, tone } = LEVEL_STYLES[level]
  return (
    <span class={`tone-${tone}`}>
      <Icon name={icon} label={LEVEL_LABELS[level]} />
    </span>
  )
}

/** The line in the changes of the pull request, else in the file at the commit of the run. */
function placeHref(
  repo: string,
  run: Run,
  { file, line }: { file: string; line: number | null },
): string {
  if (run.pull !== null) {
    const row = line === null ? '' : `R${line}`
    return changedLineHref(pullPath(repo, run.pull, 'changes'), file, row)
  }
  return codePath(repo, 'blob', run.sha, file) + (line === null ? '' : lineAddress(line))
}

const PlaceLink = ({ repo, run, of }: { repo: string; run: Run; of: Annotation }) => {
  const { file, line, column } = of
  if (file === null) return null
  const place = [file, ...(line === null ? [] : [line, ...(column === null ? [] : [column])])]
  const name = place.join(':')
  // A file outside of the repository has no page.
  if (file.startsWith('/')) return <code>{name}</code>
  return (
    <a class="mono" href={placeHref(repo, run, { file, line })}>
      {name}
    </a>
  )
}

export const AnnotationList = ({
  repo,
  run,
  jobs,
  named,
}: {
  repo: string
  run: Run
  jobs: readonly WorkflowJob[]
  /** Whether each names its job. */
  named: boolean
}) => {
  const all = jobs.flatMap((job) => job.annotations.map((annotation) => ({ job, annotation })))
  if (all.length === 0) return null
  return (
    <>
      <PageHead level={2} title={t('Annotations')} />
      <List label={t('Annotations')}>
        {all.map(({ job, annotation }) => (
          <Row
            mark={<LevelMark level={annotation.level} />}
            title={annotation.title ?? annotation.message}
            meta={
              <>
                {annotation.title !== null && <span>{annotation.message}</span>}
                <PlaceLink repo={repo} run={run} of={annotation} />
                {named && <a href={jobPath(repo, run.id, job.id)}>{job.name}</a>}
                {!named && annotation.step !== null && (
                  <a href={`#step-${annotation.step}`}>
                    {job.steps.find(({ number }) => number === annotation.step)?.name ??
                      t('Step {number}', { number: annotation.step })}
                  </a>
                )}
              </>
            }
          />
        ))}
      </List>
    </>
  )
}
