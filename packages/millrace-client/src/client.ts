import { destinationsOf, sourcesOf } from './connectors.ts'
import { jobsOf, type WaitOptions } from './jobs.ts'
import { createRequest, type Request } from './operations.ts'
import type { Job } from './schema.ts'
import { documentsOf, searchAllOf, searchOf } from './search.ts'
import { createTransport, type Send, type TransportOptions } from './transport.ts'
import { webhooksOf } from './webhooks.ts'
import { workflowsOf } from './workflows.ts'

export type MillraceOptions = TransportOptions

/** A client of one workspace. */
export class Millrace {
  /** Calls any operation of the OpenAPI document, with its types. */
  readonly request: Request
  /** The response itself, for text and streams. */
  readonly send: Send
  readonly sources: ReturnType<typeof sourcesOf>
  readonly destinations: ReturnType<typeof destinationsOf>
  readonly workflows: ReturnType<typeof workflowsOf>
  readonly jobs: ReturnType<typeof jobsOf>
  readonly documents: ReturnType<typeof documentsOf>
  readonly webhooks: ReturnType<typeof webhooksOf>
  readonly search: ReturnType<typeof searchOf>
  /** The hits of all pages. */
  readonly searchAll: ReturnType<typeof searchAllOf>

  constructor(options: MillraceOptions) {
    this.send = createTransport(options)
    this.request = createRequest(this.send)
    this.sources = sourcesOf(this.request)
    this.destinations = destinationsOf(this.request)
    this.workflows = workflowsOf(this.request)
    this.jobs = jobsOf(this.request, this.send)
    this.documents = documentsOf(this.request)
    this.webhooks = webhooksOf(this.request)
    this.search = searchOf(this.request)
    this.searchAll = searchAllOf(this.search)
  }

  /** Resolves when the job has ended, with any result. */
  waitForJob(id: string, options?: WaitOptions): Promise<Job> {
    return this.jobs.wait(id, options)
  }

  /** Follows a job until it ends. */
  events(jobId: string, options?: Parameters<Millrace['jobs']['events']>[1]) {
    return this.jobs.events(jobId, options)
  }
}
