import type { operations } from '../../generated/openapi.ts';
import type { OperationId } from '../../generated/routes.ts';
import type { FieldError } from '../domain/api/problem.ts';
import type { BodyPieces } from './body-pieces.ts';
import type { EventStream } from './event-stream.ts';
import type { JsonBytes } from './json-bytes.ts';
import type { StreamedBytes } from './streamed-bytes.ts';

/** Statuses that operations return; every other status is a thrown Problem. */
type SuccessStatus = 200 | 201 | 204;

type BodyOfAnswer<T> = T extends { content: { 'application/json': infer Body } }
  ? Body
  : T extends { content: { 'text/event-stream': unknown } }
    ? EventStream
    : undefined;

/**
 * A long list, the whole body or a member of it, may be handed over as an iterable and is then written in constant memory;
 * what a thread has computed comes as bytes, at once or part by part.
 */
type Writable<Body> = Body extends readonly (infer Item)[]
  ? Body | AsyncIterable<Item>
  : Body extends EventStream
    ? Body
    : WithStreamedLists<Body> | JsonBytes | StreamedBytes;

type WithStreamedLists<Body> = {
  [Key in keyof Body]: Body[Key] extends readonly (infer Item)[]
    ? Body[Key] | AsyncIterable<Item>
    : Body[Key];
};

type Headers = Readonly<Record<string, string>>;
/** A function where they follow from the beginning of a list that is streamed: it is called once that has been read. */
export type ReplyHeaders = Headers | (() => Headers);

type ReplyOf<Responses> = {
  [Status in keyof Responses & SuccessStatus]: {
    readonly status: Status;
    readonly headers?: ReplyHeaders;
  } & (BodyOfAnswer<Responses[Status]> extends undefined
    ? { readonly body?: undefined }
    : { readonly body: Writable<BodyOfAnswer<Responses[Status]>> });
}[keyof Responses & SuccessStatus];

/** What the operations return has in common: what is sent without knowing which operation it was. */
export interface OperationReply {
  readonly status: number;
  readonly headers?: ReplyHeaders;
  readonly body?: unknown;
}

/** What an operation may return: a status that the document lacks, or a body of another shape, does not compile. */
export type Reply<Id extends OperationId> = OperationReply & ReplyOf<operations[Id]['responses']>;

type ParametersIn<Parameters, Location extends string> = Parameters extends {
  [Key in Location]?: infer Part;
}
  ? [NonNullable<Part>] extends [never]
    ? Record<string, never>
    : NonNullable<Part>
  : Record<string, never>;

type BodyOf<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? Body
  : Operation extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? Body | undefined
    : undefined;

/** The media types of an operation's answers that are no errors. */
type AnswerTypes<Responses> = {
  [Status in keyof Responses & SuccessStatus]: Responses[Status] extends { content: infer Content }
    ? keyof Content & string
    : never;
}[keyof Responses & SuccessStatus];

/** A request after validation: values of path, query and declared headers coerced, defaults filled in, the body as it was sent. */
export interface Request<Id extends OperationId> {
  readonly path: ParametersIn<operations[Id]['parameters'], 'path'>;
  readonly query: ParametersIn<operations[Id]['parameters'], 'query'>;
  readonly headers: ParametersIn<operations[Id]['parameters'], 'header'>;
  readonly body: BodyOf<operations[Id]>;
}

/** What an operation is told that answers with several media types: the one that the client prefers. */
export type Negotiated<Id extends OperationId> = [AnswerTypes<operations[Id]['responses']>] extends [
  'application/json',
]
  ? unknown
  : { readonly answerType: AnswerTypes<operations[Id]['responses']> };

/** The function of an operation; it throws a Problem for every answer that is not a success. */
export type Handler<Context, Id extends OperationId> = (
  context: Context,
  request: Request<Id> & Negotiated<Id>,
) => Promise<Reply<Id>>;

/** Operations that answer lists of what is stored are named so (tests/contract/lists.test.ts). */
type ListOperationId = Extract<OperationId, `list${string}`>;

/** Whether an operation answers a list of what is stored, or a page of one. */
export function isListOperation(id: OperationId): id is ListOperationId {
  return id.startsWith('list');
}

/** Operations whose bodies may take long to read: they get their bytes and validate them themselves, on a thread. */
export const BYTES_OPERATIONS = ['createFleet', 'previewFleet', 'uploadDayAheadPrices'] as const;
export type BytesOperationId = (typeof BYTES_OPERATIONS)[number];

export interface BytesRequest {
  readonly pieces: BodyPieces;
  /** What is wrong with the request beside its body; it is to be refused, with the errors of the body. */
  readonly errors: readonly FieldError[];
  /** Whether the request has the partner's turn already. */
  readonly hasTurn: boolean;
}

/** The function of such an operation. */
export type BytesHandler<Context, Id extends BytesOperationId> = (
  context: Context,
  request: BytesRequest,
) => Promise<Reply<Id>>;

/** Each of them bound to its function. */
export type BytesHandlers<Context> = { readonly [Id in BytesOperationId]: BytesHandler<Context, Id> };

/** Every operation of the list bound to its handler; a missing one does not compile. */
export type Handlers<Context, Ids extends OperationId> = { readonly [Id in Ids]: Handler<Context, Id> };

/** Operations of the list whose path names an object, beside the organization. */
type NamesObject<Ids extends OperationId> = {
  [Id in Ids]: Exclude<keyof Request<Id>['path'], 'org_id'> extends never ? never : Id;
}[Ids];

/** For each operation whose path names an object: throws 404 unless the caller may see it. */
export type ExistenceChecks<Context, Ids extends OperationId> = {
  readonly [Id in NamesObject<Ids>]: (context: Context, path: Request<Id>['path']) => Promise<void>;
};
