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
import { repoOf } from '../repos/frame.tsx'
import { rich, t } from '../../text.ts'

/** A page shows at most so many artifacts. */
const MAX_SHOWN = 100

export const loadArtifacts = async (visit: Visit, run: string): Promise<readonly Artifact[]> =>
  (await visit.call(listArtifacts, { repo: repoOf(visit), id: run, per_page: MAX_SHOWN })).items

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
  mayDelete,
}: {
  visit: Visit
  repo: string
  artifacts: readonly Artifact[]
  mayDelete: boolean
}) => {
  if (artifacts.length === 0) return null
  const bytes = artifacts.reduce((sum, one) => sum + (one.expired ? 0 : one.size_in_bytes), 0)
  return (
    <>
      <PageHead
        level={2}
        title={t('Artifacts')}
        lead={rich('{size} together', { size: bytesText(bytes) })}
      />
      <List label={t('Artifacts')}>
        {artifacts.map((artifact) => (
          <ArtifactRow visit={visit} repo={repo} artifact={artifact} mayDelete={mayDelete} />
        ))}
      </List>
    </>
  )
}
