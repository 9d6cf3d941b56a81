// The frame of the pages of one file.
import type { FileRecord } from '#features/repos/index.ts'
import { Button, ButtonGroup, Chip, LinkButton } from '../../components/index.ts'
import { bytesText, formatNumber } from '../../format.ts'
import type { Child } from '../../jsx/html.ts'
import { codePath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { RepoFrame } from '../repos/frame.tsx'
import { mayPropose } from './edit-load.ts'
import { editPath } from './edit.tsx'
import type { FileData } from './file-load.ts'
import type { FilePart } from './file-parts.ts'
import { FindFileLink } from './find.tsx'
import { PathCrumbs, WithTree } from './frame.tsx'
import { RefSwitch } from './ref-switch.tsx'
import { OwnerLinks } from './owners.tsx'
import { rich, t } from '../../text.ts'

export const FilePage = ({
  data,
  visit,
  view,
  children,
}: {
  data: FileData
  visit: Visit
  view: 'blob' | 'blame'
  children?: Child
}) => {
  const { repo, refs, ref, path } = data
  return (
    <RepoFrame visit={visit} repo={repo} title={path} current="code" width="wide">
      <h1 class="unseen">{path}</h1>
      <div class="code-bar">
        <RefSwitch repo={repo} refs={refs} current={ref} view={view} path={path} />
        <PathCrumbs repo={repo} current={ref} path={path} />
        <Button variant="quiet" small copy={path} icon="copy" label={t('Copy the path')} />
        <div class="actions">
          <FindFileLink repo={repo} rev={ref} />
        </div>
      </div>
      <WithTree
        repo={repo}
        current={ref}
        path={path}
        folders={view === 'blame' ? [] : data.folders}
      >
        {children}
      </WithTree>
    </RepoFrame>
  )
}

/** Facts of a file beside its name. */
export const FileFacts = ({ data, more }: { data: FileData; more?: Child }) => (
  <>
    {more}
    {data.symlink && <Chip icon="symlink">{t('Symbolic link')}</Chip>}
    {data.file.lfs && (
      <Chip>{rich('Git LFS, {size}', { size: bytesText(data.file.lfs.size) })}</Chip>
    )}
    {data.text?.encoding && <Chip>{data.text.encoding}</Chip>}
    {data.owners.length > 0 && (
      <span>
        {rich('Owned by {ownerlinks}', { ownerlinks: <OwnerLinks names={data.owners} /> })}
      </span>
    )}
  </>
)

/** The address of a view of a file, at the same lines as the one that is shown. */
const viewHref = (
  { repo, path }: FileData,
  view: 'blob' | 'blame',
  ref: string,
  part: FilePart | null,
): string =>
  withQuery(codePath(repo.full_name, view, ref, path), {
    from: part !== null && part.from > 1 ? part.from : undefined,
  })

const ViewLinks = ({
  data,
  raw,
  view,
  part,
}: {
  data: FileData
  raw: string
  view: 'blob' | 'blame'
  part: FilePart | null
}) => (
  <ButtonGroup label={t('Views of this file')}>
    <LinkButton href={viewHref(data, 'blob', data.ref, part)} small current={view === 'blob'}>
      {t('Code')}
    </LinkButton>
    <LinkButton href={viewHref(data, 'blame', data.ref, part)} small current={view === 'blame'}>
      {t('Blame')}
    </LinkButton>
    <LinkButton href={codePath(data.repo.full_name, 'commits', data.ref, data.path)} small>
      {t('History')}
    </LinkButton>
    <LinkButton href={raw} small>
      {t('Raw')}
    </LinkButton>
  </ButtonGroup>
)

export const FileActions = ({
  data,
  view,
  part,
  visit,
}: {
  data: FileData
  view: 'blob' | 'blame'
  part: FilePart | null
  visit: Visit
}) => {
  const { repo, ref, path, file, text } = data
  const raw = codePath(repo.full_name, 'raw', ref, path)
  const mayEdit = data.onBranch && mayPropose(visit, repo)
  return (
    <>
      <ViewLinks data={data} raw={raw} view={view} part={part} />
      {text !== null && (
        <Button
          small
          variant="quiet"
          icon="copy"
          copyAddress={raw}
          label={t('Copy the whole file')}
        />
      )}
      <LinkButton
        href={viewHref(data, view, file.commit_sha, part)}
        small
        variant="quiet"
        icon="link"
        hotkey="y"
        label={t('Permanent link')}
      />
      {mayEdit && text !== null && !file.binary && !file.lfs && !data.symlink && (
        <LinkButton
          href={editPath(repo.full_name, 'edit', ref, path)}
          small
          icon="edit"
          hotkey="e"
          label={t('Edit this file')}
        />
      )}
      {mayEdit && (
        <LinkButton
          href={editPath(repo.full_name, 'delete', ref, path)}
          small
          variant="quiet"
          icon="trash"
          label={t('Delete this file')}
        />
      )}
    </>
  )
}

/** How many lines a file has; undefined when only its beginning was read. */
export const totalLines = ({ lines }: FileRecord, { end }: FilePart): number | undefined =>
  lines === null ? undefined : Math.max(lines, end)

/**
 * Which lines of a long file are shown, with links to the parts before and after them. `here` is the
 * address of the file. Null for a file that is shown whole.
 */
export function partLinks(file: FileRecord, part: FilePart, here: string): Child {
  const { from, to, end } = part
  const total = totalLines(file, part)
  const isLast = to === (total ?? end)
  if (from === 1 && isLast) return null
  return (
    <>
      <span>
        {total === undefined
          ? rich('Lines {start_line} to {line}', {
              start_line: formatNumber(from),
              line: formatNumber(to),
            })
          : rich('Lines {from} to {to} of {total}', {
              from: formatNumber(from),
              to: formatNumber(to),
              total: formatNumber(total),
            })}
      </span>
      {from > 1 && (
        <a href={withQuery(here, { from: from - 1 })} rel="prev">
          {t('Previous lines')}
        </a>
      )}
      {!isLast && (
        <a href={withQuery(here, { from: to + 1 })} rel="next">
          {t('Next lines')}
        </a>
      )}
    </>
  )
}
