// What the pages of releases share: addresses, facts, notes, files.
import { encodePath } from '#lib/percent-encoding.ts'
import type { Asset, Release } from '#features/releases/index.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Badge,
  Button,
  Icon,
  List,
  type MarkdownBodyOptions,
  ActorLink,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import { bytesText } from '../../format.ts'
import { archivePath, codePath, commitPath, repoPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import { pageOfRows, RowSteps } from '../row-form.tsx'

/** The page of the files of a release, in the address. */
const FILES_PAGE = 'files'
const FILES_PER_PAGE = 30

const ARCHIVE_FORMATS = ['zip', 'tar.gz'] as const

export const releasesPath = (repo: string, rest = ''): string => repoPath(repo, `/releases${rest}`)

/** A published release has the address of its tag, a draft that of its id. */
export const releasePath = (
  repo: string,
  release: Pick<Release, 'id' | 'tag_name' | 'draft'>,
): string =>
  releasesPath(repo, release.draft ? `/${release.id}` : `/tag/${encodePath(release.tag_name)}`)

export const ReleaseBadge = ({ release }: { release: Release }) =>
  release.draft ? (
    <Badge tone="wait">{t('Draft')}</Badge>
  ) : release.prerelease ? (
    <Badge tone="info">{t('Prerelease')}</Badge>
  ) : release.latest ? (
    <Badge tone="good" icon="check">
      {t('Latest')}
    </Badge>
  ) : null

/** One line: tag, commit, author and time. */
export const ReleaseFacts = ({ repo, release }: { repo: Repo; release: Release }) => (
  <p class="muted release-facts">
    <span>
      <Icon name="tag" />{' '}
      {release.tag_sha === null ? (
        <code>{release.tag_name}</code>
      ) : (
        <a class="mono" href={codePath(repo.full_name, 'tree', release.tag_name)}>
          {release.tag_name}
        </a>
      )}
    </span>
    <span>
      <a href={commitPath(repo.full_name, release.target)}>
        <code>{release.target.slice(0, 7)}</code>
      </a>
    </span>
    <span>
      <ActorLink of={release.author} />{' '}
      {release.published_at === null ? t('drafted this') : t('published this')}{' '}
      <RelativeTime at={release.published_at ?? release.created_at} />
    </span>
    {release.immutable && (
      <span>
        <Icon name="lock" /> {t('Its tag and files cannot change')}
      </span>
    )}
  </p>
)

export const notesMarkdown = (visit: Visit, repo: Repo): MarkdownBodyOptions => ({
  page: visit.markdown,
  link: { siteUrl: visit.hearth.settings.site_url, repo: repo.full_name },
})

const AssetRow = ({
  visit,
  repo,
  release,
  asset,
  mayChange,
}: {
  visit: Visit
  repo: Repo
  release: Release
  asset: Asset
  mayChange: boolean
}) => (
  <Row
    mark={<Icon name="file" />}
    title={
      <a class="row-link" href={new URL(asset.download_url).pathname} rel="nofollow">
        {asset.label ?? asset.name}
      </a>
    }
    meta={
      <>
        {asset.label !== null && <span class="mono">{asset.name}</span>}
        <span>{bytesText(asset.size_in_bytes)}</span>
        <span>{tn('{count} download', '{count} downloads', asset.download_count)}</span>
        <span class="release-hash" title={t('SHA-256 {sha256}', { sha256: asset.sha256 })}>
          {rich('SHA-256 {sha256}', { sha256: <code>{asset.sha256}</code> })}
        </span>
      </>
    }
    end={
      <>
        <Button
          small
          variant="quiet"
          icon="copy"
          copy={asset.sha256}
          label={t('Copy the SHA-256 of {name}', { name: asset.name })}
        />
        {mayChange && (
          <ActionButton
            action={releasesPath(repo.full_name, `/${release.id}/assets/${asset.id}/delete`)}
            csrf={visit.csrf}
          >
            <Button
              small
              variant="quiet"
              icon="trash"
              label={t('Delete {name}', { name: asset.name })}
            />
          </ActionButton>
        )}
      </>
    }
  />
)

const SourceArchives = ({ repo, release }: { repo: Repo; release: Release }) => (
  <>
    {ARCHIVE_FORMATS.map((format) => (
      <Row
        mark={<Icon name="archive" />}
        title={
          <a
            class="row-link"
            href={archivePath(
              repo.full_name,
              release.tag_sha === null ? release.target : `refs/tags/${release.tag_name}`,
              format,
            )}
            rel="nofollow"
          >
            {t('Source code ({format})', { format })}
          </a>
        }
        meta={
          <span>
            {rich('as it is at {tag_sha}', {
              tag_sha: (
                <code>
                  {release.tag_sha === null ? release.target.slice(0, 7) : release.tag_name}
                </code>
              ),
            })}
          </span>
        }
      />
    ))}
  </>
)

/** The uploaded files, and the source archives. */
export const Files = ({
  visit,
  repo,
  release,
  mayChange,
}: {
  visit: Visit
  repo: Repo
  release: Release
  mayChange: boolean
}) => {
  const list = pageOfRows(visit, release.assets, FILES_PER_PAGE, FILES_PAGE)
  return (
    <>
      <List label={t('Files of {name}', { name: release.name })} head={<h2>{t('Files')}</h2>}>
        {list.items.map((asset) => (
          <AssetRow
            visit={visit}
            repo={repo}
            release={release}
            asset={asset}
            mayChange={mayChange}
          />
        ))}
        <SourceArchives repo={repo} release={release} />
      </List>
      <RowSteps
        list={list}
        here={releasePath(repo.full_name, release)}
        name={FILES_PAGE}
        label={t('Pages of files')}
      />
    </>
  )
}
