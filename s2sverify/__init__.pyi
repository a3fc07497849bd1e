# The list of public names: what is not here is not public. Grouped by module, in import order.
from .errors import (
    ChannelError as ChannelError,
    EngineError as EngineError,
    InputError as InputError,
    MissingDependencyError as MissingDependencyError,
    SilenceError as SilenceError,
    StaleFloorError as StaleFloorError,
    VerifyError as VerifyError,
)
from .spurts import (
    Activity as Activity,
    Spurt as Spurt,
    activity as activity,
    first_onset as first_onset,
    overlap_intervals as overlap_intervals,
)
from .timing import (
    BargeIn as BargeIn,
    ConditionTiming as ConditionTiming,
    FirstSound as FirstSound,
    Overlap as Overlap,
    Response as Response,
    ResponseStatus as ResponseStatus,
    Timing as Timing,
    Turn as Turn,
    measure_timing as measure_timing,
    timing_by_condition as timing_by_condition,
)
from .integrity import check_integrity as check_integrity, echo_spurts as echo_spurts
from .artefacts import Artefact as Artefact, find_artefacts as find_artefacts
from .compat import (
    DefinitionDifference as DefinitionDifference,
    compare_definitions as compare_definitions,
    eva as eva,
    full_duplex_bench as full_duplex_bench,
    tau_voice as tau_voice,
)
from .labels import (
    audacity_labels as audacity_labels,
    rttm as rttm,
    timing_csv as timing_csv,
    write_labels as write_labels,
)
from .playback import HeardTurn as HeardTurn, what_was_heard as what_was_heard
from .selftest import (
    ConditionError as ConditionError,
    make_call as make_call,
    self_test as self_test,
    speechlike as speechlike,
)
from .types import (
    Decision as Decision,
    EngineInfo as EngineInfo,
    Finding as Finding,
    Interval as Interval,
    Outcome as Outcome,
    Owner as Owner,
    Role as Role,
    Signature as Signature,
    Transcript as Transcript,
    Word as Word,
)
from .stats import (
    binomial_tail as binomial_tail,
    censored_percentile as censored_percentile,
    count_tail as count_tail,
    lower_bound as lower_bound,
    pass_hat_k as pass_hat_k,
    percentile_interval as percentile_interval,
    rule_of_three as rule_of_three,
    runs_needed as runs_needed,
    share_interval as share_interval,
    upper_bound as upper_bound,
)
from .counts import (
    KindCounts as KindCounts,
    SilenceCounts as SilenceCounts,
    WordErrors as WordErrors,
)
from .levels import (
    Levels as Levels,
    LevelMeter as LevelMeter,
    SpeechLevel as SpeechLevel,
    SpeechMeter as SpeechMeter,
    SumMeter as SumMeter,
    active_speech_level as active_speech_level,
    frame_energies as frame_energies,
    noise_level as noise_level,
    signal_levels as signal_levels,
)
from .text.normalize import normalize_words as normalize_words
from .text.alignment import (
    Alignment as Alignment,
    EditCounts as EditCounts,
    align_words as align_words,
)
from .text.nearmiss import Edit as Edit, near_misses as near_misses
from .text.render import render as render
from .text.entities import (
    Entity as Entity,
    EntityMatch as EntityMatch,
    find_entities as find_entities,
    infer_kinds as infer_kinds,
    match_entity as match_entity,
)
from .text.comparison import (
    ValueComparison as ValueComparison,
    compare_values as compare_values,
)
from .text.tables import (
    MatchedRow as MatchedRow,
    MatchedTable as MatchedTable,
    match_table as match_table,
)
from .sentences import (
    Sentence as Sentence,
    SentenceValue as SentenceValue,
    calibration_sentences as calibration_sentences,
    write_clips as write_clips,
)
from .g711 import (
    G711Decoder as G711Decoder,
    G711Encoder as G711Encoder,
    Pcm16 as Pcm16,
    alaw_decode as alaw_decode,
    alaw_encode as alaw_encode,
    mulaw_decode as mulaw_decode,
    mulaw_encode as mulaw_encode,
    to_float as to_float,
    to_int16 as to_int16,
)
from .filters import (
    BandStream as BandStream,
    ResampleStream as ResampleStream,
    band_limit as band_limit,
    resample as resample,
)
from .tempo import (
    TempoStream as TempoStream,
    change_rate as change_rate,
)
from .noise import (
    Mix as Mix,
    make_noise as make_noise,
    mix_at_snr as mix_at_snr,
    mix_babble as mix_babble,
)
from .loss import (
    FrameLoss as FrameLoss,
    LossStream as LossStream,
    drop_frames as drop_frames,
)
from .condition import (
    BandStep as BandStep,
    BurstStep as BurstStep,
    ClipStep as ClipStep,
    CodecStep as CodecStep,
    Condition as Condition,
    CrosstalkStep as CrosstalkStep,
    GainStep as GainStep,
    LossStep as LossStep,
    NoiseStep as NoiseStep,
    OffsetStep as OffsetStep,
    ResampleStep as ResampleStep,
    TempoStep as TempoStep,
    condition_schema as condition_schema,
    conditions as conditions,
)
from .line import (
    Change as Change,
    Degraded as Degraded,
    DegradedBlocks as DegradedBlocks,
    DegradedFile as DegradedFile,
    degrade as degrade,
    degrade_blocks as degrade_blocks,
    degrade_file as degrade_file,
)
from .recording import Recording as Recording, read_recording as read_recording
from .placement import Chunk as Chunk, Truncation as Truncation, place_chunks as place_chunks
from .trace import (
    Call as Call,
    ToolCall as ToolCall,
    Trace as Trace,
    TraceEvent as TraceEvent,
    TraceMeta as TraceMeta,
    TraceTurn as TraceTurn,
    parse_trace as parse_trace,
    read_call as read_call,
    read_trace as read_trace,
    trace_schema as trace_schema,
)
from .engines.base import (
    Transcriber as Transcriber,
    open_engine as open_engine,
    register_engine as register_engine,
)
from .engines.cache import TranscriptCache as TranscriptCache
from .engines.pieces import transcribe as transcribe, uncovered_speech as uncovered_speech
from .engines.scripted import ScriptedTranscriber as ScriptedTranscriber
from .engines.deepgram import DeepgramTranscriber as DeepgramTranscriber
from .engines.whisper import WhisperTranscriber as WhisperTranscriber
from .floor import (
    ErrorFloor as ErrorFloor,
    FloorChoice as FloorChoice,
    FloorSet as FloorSet,
    default_floors as default_floors,
    pool_floors as pool_floors,
    read_floor as read_floor,
    read_floors as read_floors,
)
from .clips import (
    Clip as Clip,
    ScoredSentence as ScoredSentence,
    ScoredValue as ScoredValue,
    calibrate as calibrate,
    read_clips as read_clips,
    score_sentence as score_sentence,
    speak_clips as speak_clips,
)
from .results import (
    CallReport as CallReport,
    Cut as Cut,
    EntityVerdict as EntityVerdict,
    Rate as Rate,
    TurnVerdict as TurnVerdict,
)
from .triangle import verify as verify, verify_turn as verify_turn
from .sample import sample_paths as sample_paths

__version__: str
