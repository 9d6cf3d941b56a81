// Artifacts of a run: their sizes, until when they are kept, and their files.
import { listArtifacts, type Artifact } from '#features/artifacts/index.ts'
import {
  ActionButton,
  Button,
  Icon,
  List,
  PageHead,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import { bytesText } from '../../format.ts'
import { repoPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { loadPage, RowSteps, type ListPage } from '../row-form.tsx'
import { repoOf } from '../repos/frame.tsx'
import { rich, t } from '../../text.ts'

/** The page of the artifacts of a run, in the address. */
const ARTIFACTS_PAGE = 'artifacts'
const PER_PAGE = 30

export type ArtifactsPage = ListPage<Artifact>

export const loadArtifacts = (visit: Visit, run: string): Promise<ArtifactsPage> =>
  loadPage(
    visit,
    (page) => visit.call(listArtifacts, { repo: repoOf(visit), id: run, page, per_page: PER_PAGE }),
    ARTIFACTS_PAGE,
  )

const artifactPath = (repo: string, run: string, id: string, rest = ''): string =>
  repoPath(repo, `/runs/${encodeURIComponent(run)}/artifacts/${id}${rest}`)

const ArtifactRow = ({
  visit,
  repo,
  artifact,
  mayDelete,
}: {
  visit: Visit
  repo: string
  artifact: Artifact
  mayDelete: boolean
}) => {
  const { id, run, name, size_in_bytes, expired, expires_at } = artifact
  const at = <RelativeTime at={expires_at} now={visit.hearth.clock.now()} />
  return (
    <Row
      mark={<Icon name="package" />}
      title={
        expired || visit.caller.kind === 'anonymous' ? (
          name
        ) : (
          <a class="row-link" href={artifactPath(repo, run, id)}>
            {name}
          </a>
        )
      }
      meta={
        <>
          <span>{bytesText(size_in_bytes)}</span>
          <span>{expired ? rich('expired {at}', { at }) : rich('expires {at}', { at })}</span>
        </>
      }
      end={
        mayDelete && (
          <ActionButton action={artifactPath(repo, run, id, '/delete')} csrf={visit.csrf}>
            <Button icon="trash">{t('Delete artifact')}</Button>
          </ActionButton>
        )
      }
    />
  )
}

export const Artifacts = ({
  visit,
  repo,
  artifacts,
  here,
  mayDelete,
}: {
  visit: Visit
  repo: string
  artifacts: ArtifactsPage
  /** The address of the run. */
  here: string
  mayDelete: boolean
}) => {
  const { items, page, hasNext } = artifacts
  if (items.length === 0) return null
  const bytes = items.reduce((sum, one) => sum + (one.expired ? 0 : one.size_in_bytes), 0)
  return (
    <>
      <PageHead
        level={2}
        title={t('Artifacts')}
        lead={
          page === 1 && !hasNext ? rich('{size} together', { size: bytesText(bytes) }) : undefined
        }
      />
      <List label={t('Artifacts')}>
        {items.map((artifact) => (
          <ArtifactRow visit={visit} repo={repo} artifact={artifact} mayDelete={mayDelete} />
        ))}
      </List>
      <RowSteps
        list={artifacts}
        here={here}
        name={ARTIFACTS_PAGE}
        label={t('Pages of artifacts')}
      />
    </>
  )
}
