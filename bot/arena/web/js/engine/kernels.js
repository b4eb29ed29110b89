/**
 * The rules and the search of one game as WebAssembly: the same kernels as on the server.
 *
 * A host allocates records and arrays in the memory of the module, and calls entries with them. An
 * entry takes the address of a block of words of eight bytes, as `engine/kernel/library.py` says.
 */

import { randomWords } from "./splitmix.js";

/** @import { BoardLayout, FieldValues, Kind, Layout, NumberType, Parts, RecordLayout } from "./layout.d.ts" */

/**
 * What an entry takes: by its kind a number, a record, an array, or a tuple's values by their names.
 * @typedef {number | boolean | MemoryRecord | MemoryArray | { [field: string]: Value }} Value
 */

/**
 * What changes the usual board record: a rule set, and values of options by their names.
 * @typedef {{ rules: string | null, options: Record<string, string | number> }} Terms
 */

/**
 * The parts of a tuple that lie in memory. Most are arrays, and their user knows which.
 * @typedef {Record<string, any>} Tuple
 */

const WORD = 8;
const PAGE = 65_536;
/** Vectors of the processor are read fastest from such addresses. */
const ALIGNMENT = 16;
/** The word for the values of a field that are the numbers of `randomWords`. */
const RANDOM = "splitmix64";
const NANOSECONDS = 1_000_000_000n;

/** The views of memory, by the type of their numbers. */
const VIEWS = Object.freeze({
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
});

/** @typedef {InstanceType<(typeof VIEWS)[NumberType]>} View */

/** The kernels of a game, and the memory in which they work. */
export class Kernels {
  /** @type {WebAssembly.Memory} */
  #memory;
  /** @type {WebAssembly.Exports} */
  #exports;
  /** The address of the first free byte. */
  #free;
  /** The block of words of all calls. */
  #block;

  /**
   * @param {WebAssembly.Module} module of a game
   * @param {Layout} layout of the same game
   */
  constructor(module, layout) {
    this.layout = layout;
    const clock = (/** @type {number} */ _kind, /** @type {number} */ place) => this.#tell(place);
    this.#exports = new WebAssembly.Instance(module, { env: { clock_gettime: clock } }).exports;
    this.#memory = /** @type {WebAssembly.Memory} */ (this.#exports["memory"]);
    const base = /** @type {WebAssembly.Global} */ (this.#exports["__heap_base"]);
    this.#free = Number(base.value);
    const words = Object.values(layout.entries).map(({ takes }) => this.#countWords(takes));
    this.#block = this.allocate(WORD * (1 + Math.max(...words)));
  }

  /**
   * The moment of a monotonic clock at which a search stops, for the array `halt`.
   * @param {number} milliseconds from now
   * @returns {bigint} nanoseconds
   */
  static momentIn(milliseconds) {
    return BigInt(Math.round((performance.now() + milliseconds) * 1e6));
  }

  /**
   * Reserve memory, filled with zeros, until these kernels are no longer used.
   * @param {number} size in bytes
   * @returns {number} its address
   * @throws {RangeError} the browser gives no more memory
   */
  allocate(size) {
    const address = Math.ceil(this.#free / ALIGNMENT) * ALIGNMENT;
    this.#free = address + size;
    const missing = this.#free - this.#memory.buffer.byteLength;
    if (missing > 0) {
      this.#memory.grow(Math.ceil(missing / PAGE));
    }
    return address;
  }

  /**
   * @param {string} name of its type in the layout
   * @returns {MemoryRecord} filled with zeros
   */
  record(name) {
    const layout = this.layout.records[name];
    if (!layout) {
      throw new TypeError(`${this.layout.game} has no records ${name}`);
    }
    return new MemoryRecord(this, name, layout, this.allocate(layout.size));
  }

  /**
   * @param {BoardLayout} board
   * @param {Terms} terms
   * @returns {MemoryRecord} the board record
   * @throws {TypeError} there is no such rule set or option
   * @throws {RangeError} two options exclude each other
   */
  board(board, { rules, options }) {
    const record = this.record("board");
    record.write(board.record);
    const ofRules = rules === null ? {} : this.layout.rules[rules];
    const ofOptions = Object.entries(options).map(([name, value]) => {
      const changes = this.layout.options[name];
      return typeof changes === "string" ? { [changes]: value } : changes?.[value];
    });
    for (const changes of [ofRules, ...ofOptions]) {
      if (!changes) {
        const asked = JSON.stringify([rules, options]);
        throw new TypeError(`${this.layout.game} has no such rules: ${asked}`);
      }
      record.write(changes);
    }
    for (const [name, other] of Object.entries(this.layout.below)) {
      if (record.get(name) >= record.get(other)) {
        throw new RangeError(`${name} of ${this.layout.game} takes a number below ${other}`);
      }
    }
    return record;
  }

  /**
   * The arrays and records of a tuple, with those of the tuples in it.
   * @param {string} name of its type in the layout
   * @param {Record<string, readonly number[]>} shapes by the names of arrays; the others are empty
   * @returns {Tuple} filled with zeros
   */
  tuple(name, shapes) {
    const parts = this.#partsOf(name).map(([part, kind]) => [part, this.#made(part, kind, shapes)]);
    return Object.fromEntries(parts);
  }

  /**
   * @param {string} part
   * @param {Kind} kind
   * @param {Record<string, readonly number[]>} shapes
   */
  #made(part, kind, shapes) {
    if (typeof kind === "string") {
      throw new TypeError(`${part} is a number`);
    }
    if ("tuple" in kind) {
      return this.tuple(kind.tuple, shapes);
    }
    return "record" in kind
      ? this.record(kind.record)
      : this.array(kind.array, ...(shapes[part] ?? Array(kind.dimensions).fill(0)));
  }

  /**
   * @param {NumberType} type
   * @param {...number} shape
   * @returns {MemoryArray} filled with zeros
   */
  array(type, ...shape) {
    const count = shape.reduce((product, extent) => product * extent, 1);
    const address = this.allocate(VIEWS[type].BYTES_PER_ELEMENT * count);
    return new MemoryArray(this, type, shape, count, address);
  }

  /**
   * A view of the memory. It is valid until the next allocation.
   * @param {NumberType} type
   * @param {number} address
   * @param {number} count
   * @returns {View}
   */
  view(type, address, count) {
    return new VIEWS[type](this.buffer, address, count);
  }

  /** All of the memory. It is valid until the next allocation. */
  get buffer() {
    return this.#memory.buffer;
  }

  /**
   * Call an entry.
   * @param {string} name
   * @param {...Value} values
   * @returns {number} its result; 0 if it has none, and 0 or 1 for false or true
   * @throws {TypeError} the entry takes other values
   */
  call(name, ...values) {
    const entry = this.layout.entries[name];
    const code = this.#exports[name];
    if (!entry || typeof code !== "function" || values.length !== entry.takes.length) {
      throw new TypeError(`${this.layout.game} has no ${name} of ${values.length} values`);
    }
    const words = new DataView(this.#memory.buffer, this.#block);
    let end = 0;
    entry.takes.forEach(([part, kind], place) => {
      end = this.#write(words, end, kind, /** @type {Value} */ (values[place]), `${name}.${part}`);
    });
    code(this.#block);
    return Number(words.getBigInt64(end, true));
  }

  /**
   * @param {DataView} words
   * @param {number} at
   * @param {Kind} kind
   * @param {Value} value
   * @param {string} path for the message of an error
   * @returns {number} where the next word begins
   */
  #write(words, at, kind, value, path) {
    if (kind === "float" && typeof value === "number") {
      words.setFloat64(at, value, true);
      return at + WORD;
    }
    if (typeof kind === "string" && (typeof value === "number" || typeof value === "boolean")) {
      words.setBigInt64(at, BigInt(value), true);
      return at + WORD;
    }
    if (typeof kind === "string" || typeof value !== "object") {
      throw new TypeError(`${path} is not of the kind ${JSON.stringify(kind)}`);
    }
    if ("tuple" in kind && !(value instanceof MemoryRecord) && !(value instanceof MemoryArray)) {
      for (const [part, inner] of this.#partsOf(kind.tuple)) {
        at = this.#write(words, at, inner, /** @type {Value} */ (value[part]), `${path}.${part}`);
      }
      return at;
    }
    return writeAddress(words, at, kind, value, path);
  }

  /** @param {string} name */
  #partsOf(name) {
    return /** @type {Parts} */ (this.layout.tuples[name]);
  }

  /**
   * @param {Parts} parts
   * @returns {number}
   */
  #countWords(parts) {
    const counts = parts.map(([, kind]) => {
      if (typeof kind === "string" || "record" in kind) {
        return 1;
      }
      return "array" in kind ? 1 + kind.dimensions : this.#countWords(this.#partsOf(kind.tuple));
    });
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /**
   * The clock of the C library that the search reads.
   * @param {number} place of seconds and nanoseconds
   */
  #tell(place) {
    const now = Kernels.momentIn(0);
    const time = /** @type {BigInt64Array} */ (this.view("int64", place, 2));
    time.set([now / NANOSECONDS, now % NANOSECONDS]);
    return 0;
  }
}

/**
 * @param {DataView} words
 * @param {number} at
 * @param {Exclude<Kind, string>} kind
 * @param {Exclude<Value, number | boolean>} value
 * @param {string} path
 */
function writeAddress(words, at, kind, value, path) {
  const isRecord = value instanceof MemoryRecord && "record" in kind && value.name === kind.record;
  const isArray = value instanceof MemoryArray && "array" in kind && value.type === kind.array &&
    value.shape.length === kind.dimensions;
  if (!isRecord && !isArray) {
    throw new TypeError(`${path} is not of the kind ${JSON.stringify(kind)}`);
  }
  const numbers = [value.address, ...(isArray ? value.shape : [])];
  numbers.forEach((number, place) => {
    words.setBigInt64(at + WORD * place, BigInt(number), true);
  });
  return at + WORD * numbers.length;
}

/** Numbers in the memory of kernels, in rows one after the other. */
export class MemoryArray {
  #kernels;
  #count;

  /**
   * @param {Kernels} kernels
   * @param {NumberType} type
   * @param {readonly number[]} shape
   * @param {number} count
   * @param {number} address
   */
  constructor(kernels, type, shape, count, address) {
    this.#kernels = kernels;
    this.#count = count;
    this.type = type;
    this.shape = shape;
    this.address = address;
  }

  /**
   * The first numbers, as an array of one dimension.
   * @param {number} count
   */
  first(count) {
    return new MemoryArray(this.#kernels, this.type, [count], count, this.address);
  }

  /** The numbers, to read and to write. The view is valid until the next allocation. */
  get numbers() {
    return this.#kernels.view(this.type, this.address, this.#count);
  }
}

/** A record in the memory of kernels. */
export class MemoryRecord {
  #kernels;
  #layout;

  /**
   * @param {Kernels} kernels
   * @param {string} name of its type
   * @param {RecordLayout} layout
   * @param {number} address
   */
  constructor(kernels, name, layout, address) {
    this.#kernels = kernels;
    this.#layout = layout;
    this.name = name;
    this.address = address;
  }

  /** All bytes. The view is valid until the next allocation. */
  get bytes() {
    return /** @type {Uint8Array} */ (this.#kernels.view("uint8", this.address, this.#layout.size));
  }

  /**
   * The numbers of a field. The view is valid until the next allocation.
   * @param {string} name
   * @returns {View}
   */
  field(name) {
    return fieldOf(this.#layout, name, this.#kernels.buffer, this.address);
  }

  /**
   * @param {string} name of a field with one number
   * @returns {number}
   */
  get(name) {
    return Number(this.field(name)[0]);
  }

  /** A copy of the record. */
  get saved() {
    return new SavedRecord(this.#layout, this.bytes.slice());
  }

  /**
   * Set fields; the others stay as they are.
   * @param {FieldValues} values
   */
  write(values) {
    for (const [name, given] of Object.entries(values)) {
      const field = this.field(name);
      const numbers = given === RANDOM
        ? randomWords(field.length)
        : Array.isArray(given)
        ? given
        : [given];
      if (field instanceof BigInt64Array || field instanceof BigUint64Array) {
        field.fill(0n).set(numbers.map(BigInt));
      } else {
        field.fill(0).set(numbers.map(Number));
      }
    }
  }
}

/** A copy of a record, outside of the memory of kernels. */
export class SavedRecord {
  #layout;

  /**
   * @param {RecordLayout} layout
   * @param {Uint8Array<ArrayBuffer>} bytes in a buffer of their own
   */
  constructor(layout, bytes) {
    this.#layout = layout;
    this.bytes = bytes;
  }

  /**
   * The numbers of a field.
   * @param {string} name
   * @returns {View}
   */
  field(name) {
    return fieldOf(this.#layout, name, this.bytes.buffer, this.bytes.byteOffset);
  }

  /**
   * @param {string} name of a field with one number
   * @returns {number}
   */
  get(name) {
    return Number(this.field(name)[0]);
  }
}

/**
 * @param {RecordLayout} layout
 * @param {string} name
 * @param {ArrayBuffer} buffer
 * @param {number} address of the record in the buffer
 * @returns {View}
 */
function fieldOf({ fields }, name, buffer, address) {
  const field = fields[name];
  if (!field) {
    throw new TypeError(`the record has no field ${name}`);
  }
  const count = field.shape.reduce((product, extent) => product * extent, 1);
  return new VIEWS[field.type](buffer, address + field.offset, count);
}
