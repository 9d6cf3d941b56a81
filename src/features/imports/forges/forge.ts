/**
 * What an import reads from another forge, as plain values. A dialect gives them page by page and
 * knows nothing of the tables here.
 */
import type { ReactionContent } from '#features/issues/index.ts'

/** Null stands for an account that no longer exists. */
export type ForeignPerson = {
  readonly id: string
  readonly login: string
  readonly name: string | null
  readonly email: string | null
  readonly url: string | null
}

export type ForeignRepo = {
  readonly name: string
  readonly description: string | null
  readonly private: boolean
  readonly clone_url: string
  /** Null when it has none. */
  readonly wiki_url: string | null
  /** The highest number of an issue or pull request, as numbered here. */
  readonly highest: number
  /** Added to the number of a pull request, where issues and pull requests are counted apart. */
  readonly pull_offset: number
  /** The refs of pull requests: `refs/pull/<number>/head`, or that of another forge. */
  readonly pull_refs: { readonly prefix: string; readonly suffix: string }
}

export type ForeignLabel = {
  readonly name: string
  readonly color: string
  readonly description: string | null
  /** Other forges do not tell. */
  readonly created_ms?: number
}

export type ForeignMilestone = {
  readonly id: string
  readonly title: string
  readonly description: string | null
  readonly due_on: string | null
  readonly created_ms: number
  readonly closed_ms: number | null
}

export type ForeignRecord = {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly author: ForeignPerson | null
  readonly labels: readonly ForeignLabel[]
  /** The id of the milestone there. */
  readonly milestone: string | null
  readonly assignees: readonly ForeignPerson[]
  readonly locked: boolean
  /** Null for one that is not locked, and where the forge tells none. */
  readonly lock_reason: string | null
  readonly created_ms: number
  readonly updated_ms: number
  /** Null while it is open. A merged pull request is closed as well. */
  readonly closed_ms: number | null
  readonly closed_by: ForeignPerson | null
}

export type ForeignIssue = ForeignRecord & {
  readonly not_planned: boolean
  /** Commands that must pass; other forges have none. */
  readonly checks?: readonly string[]
}

export type ForeignPull = ForeignRecord & {
  readonly draft: boolean
  readonly base_ref: string
  /** A commit that the changes are compared with; null when the forge names none. */
  readonly base_sha: string | null
  readonly merge_base: string | null
  readonly head_ref: string
  readonly head_sha: string | null
  readonly in_fork: boolean
  readonly merged: {
    readonly by: ForeignPerson | null
    readonly at_ms: number
    readonly commit: string | null
    /** Other forges do not tell. */
    readonly method?: 'merge' | 'squash' | 'rebase'
  } | null
}

export type ForeignReaction = {
  readonly content: ReactionContent
  readonly person: ForeignPerson | null
}

export type ForeignComment = {
  readonly id: string
  /** Of the issue or pull request, as numbered here. */
  readonly number: number
  readonly author: ForeignPerson | null
  readonly body: string
  readonly created_ms: number
  readonly updated_ms: number
  readonly reactions: readonly ForeignReaction[]
}

export type ForeignLineComment = Omit<ForeignComment, 'number'> & {
  readonly path: string
  readonly line: number | null
  readonly start_line: number | null
  readonly side: 'new' | 'old'
  readonly commit: string | null
  readonly outdated: boolean
  /** The part of the change that it was written on, for one that cannot be placed. */
  readonly hunk: string
  /** The id of the first comment of its thread. */
  readonly in_reply_to: string | null
  readonly resolved_by: ForeignPerson | null
}

export type ForeignReview = {
  readonly id: string
  readonly author: ForeignPerson | null
  /** Null for line comments that belong to no review. */
  readonly verdict: 'approve' | 'request_changes' | 'comment' | null
  readonly body: string
  readonly commit: string | null
  readonly created_ms: number
  readonly dismissed: boolean
  readonly comments: readonly ForeignLineComment[]
}

export type ForeignAsset = {
  readonly id: string
  readonly name: string
  readonly url: string
  /** In bytes; null when the forge does not tell. */
  readonly size: number | null
  readonly content_type: string | null
}

export type ForeignRelease = {
  readonly id: string
  readonly tag_name: string
  readonly target: string
  readonly name: string
  readonly body: string
  readonly draft: boolean
  readonly prerelease: boolean
  readonly author: ForeignPerson | null
  readonly created_ms: number
  readonly published_ms: number | null
  readonly assets: readonly ForeignAsset[]
}

/** What happened to an issue or pull request. Labels, titles and people are as named there. */
export type ForeignChange =
  | {
      readonly kind: 'labels'
      readonly added: readonly string[]
      readonly removed: readonly string[]
    }
  | {
      readonly kind: 'assignees'
      readonly added: readonly ForeignPerson[]
      readonly removed: readonly ForeignPerson[]
    }
  | {
      readonly kind: 'milestone' | 'title' | 'base'
      readonly from: string | null
      readonly to: string | null
    }
  | { readonly kind: 'closed'; readonly not_planned: boolean }
  | { readonly kind: 'reopened' | 'locked' | 'unlocked' | 'ready' | 'draft' }
  | { readonly kind: 'merged'; readonly commit: string | null }
  /** Another issue or pull request of the same repository names this one. */
  | { readonly kind: 'referenced'; readonly by: number }

export type ForeignEvent = {
  /** Unique in the repository there. */
  readonly id: string
  readonly person: ForeignPerson | null
  readonly at_ms: number
  readonly change: ForeignChange
}

/** What is with an issue or pull request itself, beside its text. */
export type ForeignHistory = {
  readonly reactions: readonly ForeignReaction[]
  /** Oldest first. */
  readonly events: readonly ForeignEvent[]
  /** Numbers of issues that must close first; other forges have none. */
  readonly blocked_by?: readonly number[]
}

/** A part of a list. `next` is null after the last part. */
export type Page<T> = {
  readonly items: readonly T[]
  readonly next: string | null
  /** The length of the whole list; null when the forge does not tell. */
  readonly total: number | null
}

/** A file that a text names. */
export type ForeignFile = {
  /** Its address as the text has it. */
  readonly link: string
  /** Where its bytes may be, tried in this order. */
  readonly urls: readonly string[]
  /** Null when the address tells none. */
  readonly name: string | null
}

/** A record whose comments are read. */
export type RecordRef = { readonly number: number; readonly kind: 'issue' | 'pull' }

/** One repository on another forge. `cursor` is null for the first page. */
export type Forge = {
  readonly repo: () => Promise<ForeignRepo>
  readonly collaborators: (cursor: string | null) => Promise<Page<ForeignPerson>>
  readonly labels: (cursor: string | null) => Promise<Page<ForeignLabel>>
  readonly milestones: (cursor: string | null) => Promise<Page<ForeignMilestone>>
  readonly issues: (cursor: string | null) => Promise<Page<ForeignIssue>>
  readonly pulls: (cursor: string | null) => Promise<Page<ForeignPull>>
  /** Comments of all records; null where they are read record by record. */
  readonly comments: ((cursor: string | null) => Promise<Page<ForeignComment>>) | null
  readonly commentsOf: (record: RecordRef) => Promise<readonly ForeignComment[]>
  readonly reviewsOf: (number: number) => Promise<readonly ForeignReview[]>
  readonly historyOf: (record: RecordRef) => Promise<ForeignHistory>
  readonly releases: (cursor: string | null) => Promise<Page<ForeignRelease>>
  /** The files of this forge that a text names. */
  readonly filesIn: (text: string) => readonly ForeignFile[]
}
