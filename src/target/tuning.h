// The numbers that decisions weigh and no machine states, each with what set it: a measurement (two
// threads of a Zen 4 unless it says otherwise), an accuracy that is promised, or *guess*. No result
// depends on those that are not said to change sums; those are the same for all machines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sinter::tuning {

// --- prices (price.h)

// Nanoseconds of one simple operation on a native vector: one a cycle at 4 to 5 GHz.
inline constexpr double kCpuVectorOperation = 0.2;
// Nanoseconds a byte, as one core streams: 33 GB/s.
inline constexpr double kCpuByte = 0.03;
// The same of an H100 as a whole, from its data sheet: 20 10^12 simple operations and 3.3 10^12
// bytes a second; a launch takes about 2 us.
inline constexpr double kGpuOperation = 0.00005, kGpuByte = 0.0003, kGpuLaunch = 2000;
// Recomputing a value of at least this many units of OpCost costs more than a store and a load of
// the nearest cache: guess.
inline constexpr double kWorthCaching = 6;
// An element of a vector that is read under a mask which positions decide: the mask, the load, the
// choice. A guess.
inline constexpr double kMaskedRead = 3;
// An element that a vector instruction gathers, in units of OpCost: 1.5 cycles, of which 16 vector
// operations take 8 (Sapphire Rapids; Zen 4 as many).
inline constexpr double kGatheredElement = 24;
// A value of 4 bytes that one kernel stores and another loads: as many units while it stays in the
// second-level caches, and nanoseconds a byte, of each of two cores, through the third-level cache
// and through memory (120 pairs of programs, tests/unit/target/price_test.cc).
inline constexpr double kRoundTrip = 6, kRoundTripByteInCache = 0.08, kRoundTripByte = 0.09;
// Nanoseconds of work for each thread: kernels of less run on fewer.
inline constexpr int64_t kNanosecondsPerThread = 2500;
// Nanoseconds for a byte that is in another core's cache, to read it and to own it again for the
// next write: measured (Zen 4, two cores of one complex: 21 and 9 GB/s).
inline constexpr double kNanosecondsOfMovedByte = 0.16;
// Parts of the time of one thread: where several take less than the one by estimate, or more than
// the other, a loop does not try both.
inline constexpr double kSurelyTogether = 0.7, kSurelyAlone = 4;
// Nanoseconds that a kernel of its own takes beside its work: on one thread, and where the pool
// forks and joins.
inline constexpr double kCpuLaunch = 5, kCpuFork = 1000;
// Units of the longest operation of a tile from which on its registers are for that one, and not
// for more vectors side by side: exponentials and what takes longer.
inline constexpr double kLongOperation = 13;

// Vectors of a row's part from which on code of its own for the first few elements pays, after
// which the others are aligned in memory: a heat equation of 512 x 512 then takes 0.83 of the time;
// rolls, pads and concatenates of 60 MB 0.3 to 0.7, as they go past the caches.
inline constexpr int64_t kAlignedVectors = 8;

// Registers that a loop which elements run by themselves carries at most, of the 32 that AVX-512
// has.
inline constexpr int kMostCarriedRegisters = 28;

// Results of a region: more would need more registers for where they go: guess.
inline constexpr size_t kMostOutputs = 16;

// Members of a region that other regions compute too: operations take 16 us each to compile, and a
// kernel of its own that gives the value takes no longer to run than so many (chains of indices).
inline constexpr int kMostRepeatedMembers = 16;
// Elements of an array from which on an update of one in so many is a kernel of its own: a point
// source in a field of 3 x 96 x 96 x 96, 3.7 to 0.9 ms.
inline constexpr int64_t kLeastOfFew = 16384, kOfMany = 64;
// Reductions whose extents differ by no more than one in so many may be one kernel: guess.
inline constexpr int64_t kAlikeExtents = 8;

// --- products

// Multiplications below which operands are not packed: 96 x 96 x 96 takes as long either way.
inline constexpr double kLeastPacked = 96.0 * 96 * 96;
// The same where the right operand's memory runs along the contracted axis, so that each result
// would be a sum of its own, and the fewest columns: from 8 x 16 x 32 on packing is faster (128 x
// 32 x 32: 5 times), but for 3 ms of compilation.
inline constexpr double kLeastPackedAcross = 8192;
inline constexpr int64_t kLeastColumnsAcross = 16;
// Complex products become packed ones of real numbers from so many rows and columns on, where the
// right operand is more than a quarter of the third-level cache (1500 x 1500 of C64: 650 to 270 ms;
// 500 x 500 takes 1.3 times as long packed, 1000 x 1000 as long either way), or more than so many
// second-level caches where its memory runs along the contracted axis (1000 x 1000: 200 to 88 ms;
// 300 x 200 x 210 takes 1.5 times as long packed).
inline constexpr int64_t kLeastComplexRows = 64, kAcrossCaches = 4;
// Register tiles of rows from which on the right operand is packed where that computes nothing
// (rows of 12, 16 to 128 of them by 4096 x 4096 and 768 x 3072: 8 to 70 % faster unpacked).
inline constexpr int64_t kMostUnpackedTiles = 11;
// The same of panels whose rows are a line of the cache each, or less (AVX2: 30 to 66 rows by 512 x
// 512 and 768 x 3072 on Zen 3 run 5 to 30 % faster packed, 12 and 18 rows no faster).
inline constexpr int64_t kMostUnpackedInLines = 3;
// Of few rows that is read from memory, by so many elements of the contracted axis at a time of all
// columns whose sums fit so much of the second-level cache: of columns that go through a slice from
// end to end each row lies in a page of its own (8, 12 and 16 rows by 4096 x 4096: 2, 1.8 and 1.4
// times as fast on Zen 4; 24 rows 1.2 times, but 32 rows 10 % slower, and 16 MB that are in the
// third-level cache up to 15 %). Steps of 8 and 16 are 5 % slower, twice the sums 10 %.
inline constexpr int64_t kMostSteppedRows = 16, kProductStep = 12, kWaitingBytes = 64 << 10;
// Vectors of a row that is scanned by itself, which hide the latency of what is computed beside the
// scan: guess.
inline constexpr int kVectorsOfOneRow = 4;
// Units of work on the vectors of a tile that is scanned along rows, from which on its elements are
// computed row by row: sums of normal numbers of 8192 x 32 compile in a fifth of the time.
inline constexpr double kMostScannedTile = 512;
// Elements of the contracted axis that one accumulator adds up: twice that runs 4 % slower. It
// changes sums.
inline constexpr int64_t kProductDepth = 512;

// Multiply-adds a thread from which a packed product is cut into so many tasks a thread, or half as
// many at least: threads are not equally fast, where the system or another machine on the same
// processor takes time of one (1024 x 1024 x 1024 on two such threads: a fifth faster). Bands of so
// many columns at least, and so many register tiles of rows: each packs an operand for itself.
inline constexpr int64_t kLongProduct = int64_t{1} << 25, kProductTasks = 8;
inline constexpr int64_t kColumnsOfBand = 256, kTilesOfPart = 32;

// Words of it where tiles of words are multiplied: a panel of B is to stay in the first-level cache
// while A goes past it (29 ns for two by two tiles on an Intel of 2025; twice as deep, 40).
inline constexpr int64_t kDepthOfTiles = 256;
// Of fewer rows a panel is not read often enough to make up for partial sums: 64 x 4096 x 1024
// takes a fourth more by the slices of many rows.
inline constexpr int64_t kRowsPastCache = 128;

// How many times as fast tiles of words are multiplied as vectors of F32, packing included.
inline constexpr double kSpeedOfTiles = 8;

// Rows that a product of words has at least where it is made of tiles of 16 rows, which cost as
// much with fewer, and of which the right operand has to be packed.
inline constexpr int64_t kLeastRowsOfTiles = 5;
inline constexpr int64_t kLeastColumnsOfTiles = 16;
inline constexpr double kLeastOfTiles = 1 << 14;
// Rows and columns of a product that has few results for its depth, and chunks of that which are
// tasks: one for each of the threads that there may be (64 x 64 of 100,000 terms). They change
// sums.
inline constexpr int64_t kFewResults = 256, kProductChunks = 16;
// Of such a product whose operands are read as they are, bytes of what all tiles of a panel read of
// a slice (half as many are up to a tenth slower), and the fewest elements of the contracted axis
// in one: partial sums are read and written for each (64 x 64 of 100,000 terms and 128 x 32 of 3000
// on Zen 3: 1.5 and 2 times as fast as packed). They change sums.
inline constexpr int64_t kSliceInPlace = 44 << 10, kThinnestSlice = 48;
// Rows of a task of a product of products: what it packs is then little beside what it multiplies
// (attention, 1024 keys).
inline constexpr int64_t kChainRows = 128;
// Elements of a row of its first product, of which a few stay in the second-level cache.
inline constexpr int64_t kLongestChainRow = 8192;
// Elements of both right operands of a batch, which every thread packs for itself: 4 MB of F32
// (attention of 2048 and 4096 keys).
inline constexpr int64_t kMostChainPacked = 1 << 20;
// Rows of all batches from which on the right operands are read once for several tasks' rows, or so
// few elements of these that it is no matter (products of 8 rows from 512 to 784 and back on two
// threads: 1.5 times as fast apart, of 32 rows 1.2 times, of 64 rows as fast).
inline constexpr int64_t kFewestChainRows = 64, kSmallChain = 1 << 16;
// Instructions between the two: guess.
inline constexpr size_t kMostChainMembers = 64;
// Operations of a reduction up to which its rows share vectors: guess.
inline constexpr double kMostBodyOfRows = 8;
// Results of a reduction, of fewer of which it is short itself and not written out: guess.
inline constexpr int64_t kFewestWrittenOut = 64;
// Rows of a product of few columns from which on its right operand is transposed for it, and of a
// product with a vector, or of what runs along a batch: guesses.
inline constexpr int64_t kRowsOfFewColumns = 32, kRowsOfVector = 4;
// The most columns of such a product, of elements of 32 bits and more, and the fewest elements that
// each result is summed of in a run: a tile of more columns is as fast without transposing (3 x 3
// windows of 64 channels to 2, 3, 4, 6: 47, 67, 86, 127 us summed, 98 in tiles; 4000 x 64 by 2, 3,
// 4: 11, 17, 22 summed, 21 in tiles; F32, AVX-512).
inline constexpr int64_t kMostSummedColumns = 3, kMostSummedColumnsOfWindows = 4,
                         kLeastSummedRun = 32;
// Rows of a tile of a product that is not packed, which share what depends on its columns.
inline constexpr int64_t kProductTileRows = 8;
// Vector operations that read an element of a column for such a tile, and that add up the lanes of
// one result (batches of 2 x 2 to 16 x 16: 2 to 15 times as fast in tiles).
inline constexpr double kStridedElement = 1.5, kSumOfLanes = 8;

// --- reductions: they change sums

// Elements that are reduced to few results, from which on chunks of them are tasks: a fork takes
// about a microsecond.
inline constexpr double kLongReduction = 1 << 16;
// Tasks that a reduction has enough of without chunks.
inline constexpr double kFewestUncut = 16;
// How much longer memory takes to read in strips of 128 bytes of longer rows (maxima and sums of
// exponentials of 20,000 x 300: 4.5 ms in strips, 1.6 in order).
inline constexpr double kNarrowStrip = 3;
// Elements of an operand that a reduction does not join another one to gather: forces between 32
// particles take 1.2 us instead of 9, between 216 a fourth.
inline constexpr int64_t kGatheredOperand = 256;
// Where rows are read side by side: the shortest row that memory is read in order for, the fewest
// rows of a chunk, since the partial results of fewer would be as much to read, and the fewest
// chunks, for threads.
inline constexpr int64_t kSweptRow = 512, kFewestSweptRows = 32, kFewestChunks = 8;
// Bytes that stay in a second-level cache of 1 MB, whatever the machine's own is: half of them read
// by a reduction, or accumulated by a sweep.
inline constexpr int64_t kReductionCache = 1 << 20;
// Accumulators of 4 bytes that a sweep goes through at a time: half of the first-level cache.
inline constexpr int64_t kSweptAccumulators = 4096;

// --- plans of a CPU

inline constexpr int kLineBytes = 64;  // of a cache

// Nanoseconds from which on a chain of elementary functions is written out for four vectors: 15 to
// 25 % faster than two, for 40 % more code generation.
inline constexpr double kLongKernel = 1e7;
// The same where there are fewer than 32 registers: 1.2 to 1.5 times as fast (AVX2 on Zen 3; six
// vectors no more than 5 % faster than four, for twice the code generation).
inline constexpr double kLongKernelOfFewRegisters = 2e6;
// Vectors of a row up to which rows are reduced some at a time (log-softmax of 1,000,000 numbers in
// rows of 20, AVX-512: 1.17 to 0.40 ms, of 64 0.32 to 0.23, of 100 1.2 times as fast); rows side by
// side, and of all tasks, from which on it is worth 2 to 4 ms of code: guesses; and of all tasks
// where several results of a row wait for each other (log(sum(exp)) of 8 to 48 rows in loops: half
// of the time, softmax 0.6 to 0.85).
inline constexpr int64_t kMostOfGroupedRow = 8, kFewestGroupedRows = 4, kFewestRowsInAll = 64,
                         kFewestRowsOfSeveral = 8;
// Simple operations of a vector that an element of rows of 2 to 8 takes on its way through vectors
// across rows, which exchange it, or load it by itself where rows are far apart in memory (AVX-512:
// 40,000 rows of 2 to 8 times one number each 0.035 to 0.145 ms, as vectors along rows 0.011 to
// 0.022; 512 x 256 of 8 transposed 0.84 to 0.18; a tanh of each 0.69 to 0.30, in order 0.8 to 2
// times); elements of a row of bytes or halves, of fewer of which a vector is mostly empty.
inline constexpr double kExchangedInRun = 3, kFarElement = 6;
inline constexpr int64_t kLeastNarrowRun = 4;
// Bytes of a scatter's updates from which on those that are read across rows are transposed before
// (131,072 of F32, added to a table of 32 x 8: 0.81 to 0.05 ms): as many as the first-level cache
// has.
inline constexpr int64_t kScatteredAcross = 32 << 10;
// Nanoseconds of a kernel that is not worth more threads if it would have less than 16 tasks:
// guess.
inline constexpr double kFewTasks = 2e4;
// Turns of a loop that nobody knows the number of: guess.
inline constexpr double kUnknownTurns = 10;
// Simple operations of a task, so that a fork is little beside it: guess.
inline constexpr double kTaskElements = 1 << 14;
// Values of vectors that run a loop side by side, for each register: to keep a few in memory takes
// less than to wait (integrators of 1000 to 5000 states of 3 and 4, one to four vectors).
inline constexpr double kMostLoopValues = 2;
// Operations an element, from which on a task has fewer elements, of as many operations together:
// then they are several microseconds.
inline constexpr double kLongElement = 16;
// Tasks that threads find enough to do in: guess.
inline constexpr double kEnoughTasks = 64;
// Bytes of a result from which on it goes past the caches: a part of the third-level cache, within
// bounds, since that may be shared with other programs: guess (8 MB of 32 on a Zen 4; a virtual
// machine of two cores was told of 260 MB).
inline constexpr int64_t StreamedBytes(int64_t l3_bytes) {
  return std::clamp<int64_t>(l3_bytes / 4, 4 << 20, 16 << 20);
}
// Bytes of a row from which on it does so although parts of its first and last lines do not: on a
// Zen 3 each such line takes 190 ns (rows of 640 bytes: 9 times as long as all through the caches,
// of 4 KB 1.7 times, of 16 KB as long, of 64 KB 0.7).
// Where vectors are whole lines (Zen 4, AVX-512) rows of 800 bytes take 1.3 times as long so, of 2
// KB as long, of 4 KB 0.8 and of 8 KB 0.7.
inline constexpr int64_t kLeastRowPastCaches = 16 << 10, kLeastRowOfLines = 3 << 10;
// Code, in OpCost, of the parts that rows are reduced in, each by a loop of its own: a softmax over
// two arrays compiles in 48 ms instead of 27, and runs in two thirds of the time.
inline constexpr double kMostReducedCode = 400;
// Operations of all pieces of a nest together: about 10 us of code generation each (guess: 20 ms at
// most). Elements for each piece: about half a nanosecond an element and operation is saved, which
// pays for the piece's code within a thousand runs (guess).
inline constexpr int64_t kMostPieceOperations = 2000, kElementsAPiece = 20;
// Parts of the outputs that are smaller than the first are no pieces, but for borders that are no
// larger than the second: all are computed and one is chosen. A guess.
inline constexpr double kSmallPart = 1. / 4, kBorderPart = 1. / 32;
// Nanoseconds of code generation for an operation of a piece, and the runs within which it is to
// pay off: guess. One nest for several small pieces tests where each element is: so many times the
// operations of nests that have nothing to decide, operations of code for each piece, nanoseconds
// of a task, and the part of a kernel's time that this may take, whatever it saves (depthwise
// convolutions of 124 x 124 x 256 and 14 x 14 x 32, whose borders are four and eight pieces).
inline constexpr double kCodeOfOperation = 1e4, kRunsOfCode = 10000;
inline constexpr double kTestedOperation = 1.3, kBoxOperations = 12, kBoxTask = 25,
                        kMostTested = 0.02;
// Pieces of one task each that are one function: of 30 elements each, 64 take 1 ms a piece, 1000
// six.
inline constexpr int64_t kMostStagePieces = 64;
// Vectors of a tile along the minor axis, for each of which masks compute every part: what
// `cpu_schedule` takes for short bodies.
inline constexpr int64_t kMaskedVectors = 8;
// The longest axis of concatenated parts that one tile computes, the same where all of them are
// single elements (8 x 8 matrices), and the simple operations that they must share: guess.
inline constexpr int64_t kMostSharedParts = 16, kMostSharedElements = 64;
inline constexpr double kLeastSharedParts = 8;
// The longest minor axis of parts shorter than vectors that is written out element by element:
// guess.
inline constexpr int64_t kMostNarrowParts = 512;
// Simple operations of a masked read and of a masked store of a vector, where the processor has
// both; of a masked store without AVX-512 (AMD's tables); of each lane where it has neither; of a
// vector or a power of two of elements that a row's part is read and stored by; and of an element
// of a column, of rows of up to kMostSharedParts and of others (rolls, stacks, pads and
// concatenates of rows of 6 to 240, of bytes and F32; longer columns take a hundred times the
// code). Exchanges in registers take less than the second last says, but ten times the code
// (5 ms): where there is so much work that 100 runs save that (3 + 3 + 3 of 250,000 rows: 0.34 ms
// instead of 0.66; of bytes a third).
inline constexpr double kMaskedVector = 3, kMaskedStoreAvx2 = 18, kMaskedLane = 2, kRowPiece = 3.5,
                        kColumnElement = 1.5, kFarColumnElement = 3, kExchangedElement = 0.79,
                        kSavedByLongCode = 3e5;
// Simple operations on the elements of a short row from which on, written out one after another,
// they are long code, 0.1 ms each to compile; and so many of vectors that a run has to save for
// each (an LSTM's gates, 3000 x 5: compiled in 5 ms instead of 100, 0.040 ms a run instead of
// 0.027; x 8, 5 instead of 156, 0.037 instead of 0.040).
inline constexpr double kLongCodeOfEach = 500, kSavedByCodeOfEach = 2000;
// Simple operations of looking up, for a vector of elements, the row that all rows of a matrix are
// computed with: of the elements' columns and of the exchange (tanh(x * r) of rows of 5 to 15). And
// of one element, from which on it is looked up by loads where each would be computed by itself
// (less of bytes and BF16).
inline constexpr double kLookedUpRow = 24, kLoadedRow = 4, kLoadedNarrowRow = 2;
// Runs along a short minor axis that are looked up are read each as one where elements are narrow,
// or so many, and so little is computed of each (2 to 8 of bytes and BF16 1.5 to 3 times as fast, 3
// of F32 a third slower, 7 and 8 as much faster; a tanh of each 3 times slower).
inline constexpr double kLookedUpWork = 4, kLookUpWork = 16;  // of an element, and of an index
inline constexpr int64_t kLookedUpRun = 6;
// Elements of a square that is transposed in registers on the way to a task buffer: of 16 x 16
// bytes there is three times the code, and it takes as long. The sets of a first-level cache, their
// lines, and how many lines a tile that is stored at once needs to stay there.
inline constexpr int kSquare = 8;
inline constexpr int64_t kCacheSets = 64, kCacheWays = 8, kLinesOfTile = 32;
// Transposed reads whose rows of results are at most so long, and tiles of rows that there are at
// least: a task writes whole rows (18 columns of 33,600 rows 4 times as fast, 100 of a million 2.5
// times, 64 to 256 of 4000 to 100,000 1.4 to 2.9 times; 500 of 20,000 a fifth slower. Intel, 2025).
inline constexpr int64_t kCompletedRow = 256, kCompletedRows = 32;
// Rows that share work inside of loops: each has accumulators of its own. Those of a product's left
// operand stay in the first-level cache beside the right one's (4 rows of 128 times 2048 for each
// of 8 heads: 1.3 to 1.6 times as fast; of 4096: up to 15 % slower).
inline constexpr int64_t kMostSharedRows = 4, kSharedRowsBytes = 16 << 10;
// Rows whose sums are side by side as memory has what they are sums of, where that is so many bytes
// of a row at a time at most; and the tasks that are to be left (8 groups of 16 features at 64 x 64
// places of 8 images: twice as fast on an Intel of 2025).
inline constexpr int64_t kMostRowsWithinSums = 8, kScatteredRun = 256;
inline constexpr double kTasksWithinSums = 4;
// A scatter's tasks, the fewest elements of a window that are a vector's, and of a task: guess.
inline constexpr int64_t kScatterTasks = 16, kScatterWindow = 16, kScatterColumns = 256;
// The fewest updates that are worth threads, and those of each copy of a scatter's results, beside
// its elements: a copy is written, and read once more. Most bytes of a copy: what stays in a
// second-level cache. It changes sums.
inline constexpr int64_t kSharedScatter = 1 << 15, kUpdatesPerElement = 8, kMostScatterCopies = 16,
                         kScatterCopyBytes = 1 << 20;
// Copies that updates which follow each other take in turn, and the most bytes of them together:
// what stays in a first-level cache. Four take counts of equal elements from 1.25 ns to 0.55, those
// of random ones take 0.5 in any case (Xeon 8481C). They change sums.
inline constexpr int64_t kScatterBanks = 4, kScatterBankBytes = 1 << 14;
// Updates whose indices are computed as vectors at a time.
inline constexpr int64_t kScatterBlock = 512;
// Index vectors that a task looks at before it goes on with those that are its own.
inline constexpr int64_t kScatterList = 256;
// The fewest bytes of a window of which tasks own parts of the results: that a task lists its own
// index vectors costs 2.3 ns for each of all, and to combine an element 0.3 (400,000 of f32 into
// 5,000 to 1,000,000), 8 for 64 of them.
inline constexpr int64_t kOwnedWindowBytes = 256;

// --- plans of a GPU: none has been tuned on a device

inline constexpr int kGpuLongRow = 512;  // from here on a row of a reduction is a block's
inline constexpr int kGpuRowInRegisters = 1 << 14;  // 16 elements a thread of the largest block
inline constexpr int kGpuHeld = 8;  // elements of a row that a thread holds, if there is a choice
// Tasks of a split reduction, and of a split product the tasks, the least depth of a chunk, and
// what it is a multiple of. They change sums.
inline constexpr int kGpuSplitTasks = 512;
inline constexpr int64_t kGpuChunkElements = 1 << 12;
inline constexpr int64_t kGpuProductTasks = 128, kGpuLeastDepth = 512, kGpuDepthUnit = 256;

// --- layouts

// Reductions of pairs of rows that run along the second array (passes/layout): its fewest rows, the
// most elements of a row, and how many pairs an element of either array is in at least. Of 1000
// points by 1000 with 12 components 5.5 times as fast, with 64 a fifth, with 128 the same, of 300
// by 300 with 512 a third slower (Intel, 2025).
inline constexpr int64_t kLeastPairedRows = 16, kMostPairedColumns = 64, kFewestPairs = 8;
// Nanoseconds an element, on one core: of a kernel that walks along three elements at a time beside
// one along thousands (an integrator of 4096 states of 3), and of a transpose.
inline constexpr double kShortRowElement = 0.5, kTransposedElement = 1.0;
// How often a loop runs, as nobody knows: guess.
inline constexpr double kLoopTurns = 10;
// Elements, at most, of a change in place that are loaded and stored one by one: a turn of a loop
// that changes 8 of them, anywhere, takes 3.5 ns so; as a vector 2.4, but 7.9 where the last change
// was of some of them (Zen 4).
inline constexpr int64_t kElementsOneByOne = 8;
// What an element of a product's operand costs that moves within its row, and to another row, which
// takes a strided read: one to the other as measured, 3.
inline constexpr double kMoveInRow = 1, kMoveAcrossRows = 3;
// The same of an element that is packed once more, for another batch: guess; and what is saved by
// one between two products that are one kernel, which is not written to memory and read again: half
// of the nanosecond that it took on one core (attention, 12 heads of 1024 rows).
inline constexpr double kPackAgain = 0.25, kChainedElement = 0.5;
// Elements of 4 bytes in a line of a cache: as many are read for one where the others are others'.
inline constexpr double kElementsOfLine = 16;

// --- loops

// Units of work that no turn of a loop changes from which on it is done before the loop, which
// costs a launch: guess.
inline constexpr double kLeastHoisted = 256;
// Arrays that are computed before one loop and carried through it: loops that became one kernel
// took LLVM a time that is quadratic in them (1,000: 3.7 s, 200: 0.2 s).
inline constexpr size_t kMostHoisted = 256;

// Turns of a loop that is written out, the operations that it becomes, and the elements of arrays
// that may be cut, put together and moved there: guess.
inline constexpr int64_t kMostUnrolledTurns = 8, kMostUnrolledOperations = 512, kFewElements = 64;
// Turns of a loop that looks up an element of a table in each, as searches by halves do.
// A histogram of a million by 101 edges takes 3.5 ms on one thread in place of 7.3, a search of a
// quarter of a million in as many 5.0 in place of 6.1.
inline constexpr int64_t kMostLookUps = 24, kMostLookUpOperations = 768;
// Elements of a constant that is copied to where it is passed: of a few rows or small matrices.
inline constexpr int64_t kMostKnownElements = 64;
// Rows of a state that loops carry one by one.
inline constexpr int64_t kMostCarriedRows = 9;
// The work of long operations (kLongOperation) on single elements in a turn, from which on a state
// is not carried element by element: vectors of them take less time, launches and all (hidden
// Markov models of 2 to 8 states).
inline constexpr double kMostSingleWork = 160;
// Simple operations of all branches of a conditional together up to which they are computed and
// selected from, which costs no step: guess.
inline constexpr double kMostSelected = 256;
// Nanoseconds that steps of a loop may take, for each of them, for launches to count beside it. A
// launch costs 5 ns and keeps scalars in memory (loops over scalars and vectors of 8).
inline constexpr double kJoinedStep = 150;
// A copy of that many bytes takes less than a microsecond.
inline constexpr int64_t kJoinedCopyBytes = int64_t{16} << 10;
// Operations, in OpCost, of a tile that is read transposed, for all of its rows: a softmax over
// channels whose result is transposed compiles in 13 ms instead of 36, and runs as fast.
inline constexpr double kMostTransposedCode = 384;
// And, where a row has several vectors, for all of these (softplus of a transposed array of BF16 of
// 33 x 65: 32 vectors compile in 310 ms, 8 in 150 and run in 0.6 of the time; of 3000 x 2056 they
// run as fast).
inline constexpr double kMostTransposedLine = 768;
// Operations of the kernel IR, of which LLVM compiles 60 a millisecond: more would take longer to
// compile than most programs run. A kernel that is launched several times counts each time.
inline constexpr int64_t kMostJoinedCode = 16000;
// Pointers to arrays of a joined loop: all are live around it, and LLVM takes more than their
// square to place them (a state of 100 arrays of 64: 65 ms instead of 9, of 1000: 8 s, and runs as
// fast).
inline constexpr size_t kMostJoinedArrays = 128;

// --- turns of loops together (runtime/cpu/turn_tiles.h)

// Turns that a loop has at least and a block at most, nanoseconds of a loop from which on its turns
// are worth the planning, and tasks of a stage that are planned.
inline constexpr int64_t kLeastTurnsInBlocks = 4, kMostTurnsInBlock = 64;
inline constexpr double kLeastLoopInBlocks = 1e6;
inline constexpr int64_t kMostTasksInBlocks = 8192;
// Nanoseconds of a loop's time for each operation of the kernel IR that is walked to find out what
// tasks use (5 ns) and for each step of planning (2 ns): so that a run takes longer than those.
inline constexpr double kNanosecondsPerWalk = 50, kNanosecondsPerPlan = 20;
// The part of a turn's time for its memory that arrays in the second-level cache save; how many
// such caches they fill where they do, for each thread (2 MB of two threads: nothing, 8 MB: 1.2
// times as fast, 18 MB: twice); and how much of one a part may fill, and its tasks at least.
inline constexpr double kSavedInCache = 0.6, kPartOfCache = 0.75;
inline constexpr int64_t kCachesFilled = 3, kLeastTasksInPart = 8;

// --- sorts

// Nanoseconds of an element for each byte of its key where it is sorted by digits, and of each
// value of such a byte (Zen 3, normal numbers: their high bytes have few values).
inline constexpr double kSortDigit = 2, kSortDigitValue = 1;
// Nanoseconds of an element where vectors sort n: the first, and as often the second as n is a
// power of two. For vectors of 128, 256 and 512 bits, elements of 4 bytes and of 8 (256 bits: 256
// to 500,000 elements on Zen 3; 512 bits: 10^6 on Zen 4; 128 bits: guess, half as fast as 256).
struct VectorSortTime {
  double base, of_level;
};
inline constexpr VectorSortTime kVectorSorts[3][2] = {
    {{0.5, 0.51}, {2, 1.2}}, {{0.25, 0.255}, {1, 0.6}}, {{0.6, 0.12}, {1, 0.2}}};

// --- code generation

// Instructions of a region from which on the last tile of a loop is no code of its own: guess.
inline constexpr size_t kLongBody = 64;
// Operations whose code takes as long as to begin another module and to load it; and of a function,
// beside its operations (programs of 2 to 30 kernels).
inline constexpr int64_t kModuleOperations = 50, kFunctionOperations = 20;
// Bytes of memory without which a module, and more for each of those operations, are not compiled:
// more than the benchmarks' models take (at most 9 MB each).
inline constexpr size_t kModuleMemory = size_t{16} << 20, kOperationMemory = size_t{4} << 10;
// From so many kernels on that differ in constants only, these are parameters: what LLVM knows of a
// constant is worth about as much as the code of another one takes to compile (guess).
inline constexpr int kSharedKernels = 3;

}  // namespace sinter::tuning
