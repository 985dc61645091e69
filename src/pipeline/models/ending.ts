import { ModelRefusal } from './exchange.ts'

/** The words that OpenAI, Anthropic and Bedrock have for an answer that stops before its end. */
const CUT = ['length', 'max_tokens', 'model_context_window_exceeded']
const DECLINED = ['content_filter', 'content_filtered', 'guardrail_intervened', 'refusal']

/**
 * Half an answer is none: a page would lose what stands below, and nobody would know. A model that thought until it
 * ran out has answered nothing at all. Asked the same again, it would end the same, so that these are refusals.
 */
export function refuseUnfinished(doing: string, reason: string | null | undefined): void {
  if (CUT.includes(reason ?? '')) throw new ModelRefusal(`${doing}: its answer was cut off (${reason})`, 200)
  if (DECLINED.includes(reason ?? ''))
    throw new ModelRefusal(`${doing}: it declines to answer (${reason})`, 200)
}
