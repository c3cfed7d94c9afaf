# SPDX-License-Identifier: Apache-2.0
"""What nvidia-ml-py (pynvml) reads of each GPU, in the lines that probe-gpu prints of it (node.facts(5)):
beside those, it tells whether both read one libnvidia-ml.so.1 alike."""
import ctypes

import pynvml as nvml


def answer(function, *arguments):
    """The number, or in probe-gpu's words why there is none."""
    try:
        return function(*arguments)
    except nvml.NVMLError as error:
        code = error.value
    except AttributeError:  # older clients lack newer functions
        return None
    if code in (nvml.NVML_ERROR_FUNCTION_NOT_FOUND, nvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH):
        return "old"
    return "none" if code == nvml.NVML_ERROR_NOT_SUPPORTED else f"error:{code}"


def part(value, index):
    return value[index] if isinstance(value, (list, tuple)) else value


def member(value, name):
    return value if value is None or isinstance(value, str) else getattr(value, name)


def named(name, *arguments):
    return answer(lambda: getattr(nvml, name)(*arguments))


def field(gpu, name, scope=0, absent=None):
    number = getattr(nvml, "NVML_FI_DEV_" + name, None)
    if number is None:
        return absent
    value = answer(nvml.nvmlDeviceGetFieldValues, gpu, [(number, scope)])
    if isinstance(value, str):
        return value
    if value[0].nvmlReturn == nvml.NVML_ERROR_INVALID_ARGUMENT:
        return "old"
    if value[0].nvmlReturn != nvml.NVML_SUCCESS:
        return answer(nvml._nvmlCheckReturn, value[0].nvmlReturn)
    large = value[0].valueType == nvml.NVML_VALUE_TYPE_UNSIGNED_LONG_LONG
    return value[0].value.ullVal if large else value[0].value.uiVal


def sram_exceeded(gpu):
    status = nvml.c_nvmlEccSramErrorStatus_v1_t()
    status.version = nvml.nvmlEccSramErrorStatus_v1
    nvml.nvmlDeviceGetSramEccErrorStatus(gpu, ctypes.byref(status))
    return status.bThresholdExceeded


def fabric(gpu):
    info = nvml.c_nvmlGpuFabricInfoV_t()
    if hasattr(nvml, "nvmlGpuFabricInfo_v3") and hasattr(info, "healthSummary"):
        info.version = nvml.nvmlGpuFabricInfo_v3
    nvml.nvmlDeviceGetGpuFabricInfoV(gpu, ctypes.byref(info))
    return info


def inforom(gpu):
    try:
        nvml.nvmlDeviceValidateInforom(gpu)
    except nvml.NVMLError_CorruptedInforom:
        return 0
    return 1


def facts(gpu):
    """Pairs of a key and what NVML says; None: this client cannot ask."""
    ecc = named("nvmlDeviceGetEccMode", gpu)
    yield "ecc.mode", part(ecc, 0)
    yield "ecc.mode_next", part(ecc, 1)
    for since, time in enumerate(("volatile", "aggregate")):
        for kind, word in enumerate(("corrected", "uncorrected")):
            yield f"ecc.{time}.{word}", named("nvmlDeviceGetTotalEccErrors", gpu, kind, since)
            for place, memory in ((nvml.NVML_MEMORY_LOCATION_DRAM, "dram"), (nvml.NVML_MEMORY_LOCATION_SRAM, "sram")):
                yield f"{memory}.{time}.{word}", named("nvmlDeviceGetMemoryErrorCounter", gpu, kind, since, place)
    yield "sram.exceeded", answer(sram_exceeded, gpu)
    rows = named("nvmlDeviceGetRemappedRows", gpu)
    for i, word in enumerate(("corrected", "uncorrected", "pending", "failure")):
        yield "remap." + word, part(rows, i)
    for word, name in (("single", "SBE"), ("double", "DBE"), ("pending", "PENDING")):
        yield "retired." + word, field(gpu, "RETIRED_" + name)
    yield "inforom", answer(inforom, gpu)
    yield "recovery", field(gpu, "GET_GPU_RECOVERY_ACTION")
    info = answer(fabric, gpu)
    for word, name in (("state", "state"), ("status", "status"), ("health", "healthSummary")):
        known = info is not None and (isinstance(info, str) or hasattr(info, name))
        yield "fabric." + word, member(info, name) if known else None
    yield "pcie.gen", named("nvmlDeviceGetCurrPcieLinkGeneration", gpu)
    yield "pcie.gen_max", named("nvmlDeviceGetMaxPcieLinkGeneration", gpu)
    yield "pcie.gen_own", named("nvmlDeviceGetGpuMaxPcieLinkGeneration", gpu)
    yield "pcie.width", named("nvmlDeviceGetCurrPcieLinkWidth", gpu)
    yield "pcie.width_max", named("nvmlDeviceGetMaxPcieLinkWidth", gpu)
    yield "pcie.replays", named("nvmlDeviceGetPcieReplayCounter", gpu)
    yield from heat(gpu)
    yield from rest(gpu)


def heat(gpu):
    yield "temperature.now", named("nvmlDeviceGetTemperature", gpu, nvml.NVML_TEMPERATURE_GPU)
    for word, name in (("shutdown", "SHUTDOWN"), ("slowdown", "SLOWDOWN"), ("max", "GPU_MAX")):
        which = getattr(nvml, "NVML_TEMPERATURE_THRESHOLD_" + name)
        yield "temperature." + word, named("nvmlDeviceGetTemperatureThreshold", gpu, which)
    margin = named("nvmlDeviceGetMarginTemperature", gpu)
    yield "temperature.margin", getattr(margin, "value", margin)
    yield "clocks.reasons", named("nvmlDeviceGetCurrentClocksThrottleReasons", gpu)
    for word, name in (("power", "POWER"), ("thermal", "THERMAL"), ("board", "BOARD_LIMIT"), ("reliability", "RELIABILITY")):
        policy = getattr(nvml, "NVML_PERF_POLICY_" + name)
        yield "slowed." + word, member(named("nvmlDeviceGetViolationStatus", gpu, policy), "violationTime")
    # Where the client does not know these, its driver does not either.
    yield "slowed.hw_thermal", field(gpu, "CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN", absent="old")
    yield "slowed.power_brake", field(gpu, "CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN", absent="old")


def rest(gpu):
    yield "power.limit", named("nvmlDeviceGetPowerManagementLimit", gpu)
    yield "power.default", named("nvmlDeviceGetPowerManagementDefaultLimit", gpu)
    yield "power.enforced", named("nvmlDeviceGetEnforcedPowerLimit", gpu)
    yield "persistence", named("nvmlDeviceGetPersistenceMode", gpu)
    yield "minor", named("nvmlDeviceGetMinorNumber", gpu)
    mig = named("nvmlDeviceGetMigMode", gpu)
    yield "mig.mode", part(mig, 0)
    yield "mig.mode_next", part(mig, 1)
    memory = answer(nvml.nvmlDeviceGetMemoryInfo, gpu, nvml.nvmlMemory_v2)
    for word in ("total", "used", "reserved"):
        yield "memory." + word, member(memory, word)
    processes = named("nvmlDeviceGetComputeRunningProcesses", gpu)
    yield "processes", len(processes) if isinstance(processes, list) else processes
    yield from links(gpu)


def links(gpu):
    count = field(gpu, "NVLINK_LINK_COUNT")
    if isinstance(count, str):
        return
    active = [named("nvmlDeviceGetNvLinkState", gpu, link) for link in range(count)]
    yield "link.active", " ".join(str(state) for state in active)
    for word, ask in (
        ("speed_mbytes", lambda link: field(gpu, "NVLINK_GET_SPEED", link)),
        ("replays", lambda link: named("nvmlDeviceGetNvLinkErrorCounter", gpu, link, nvml.NVML_NVLINK_ERROR_DL_REPLAY)),
        ("crc_flit", lambda link: named("nvmlDeviceGetNvLinkErrorCounter", gpu, link, nvml.NVML_NVLINK_ERROR_DL_CRC_FLIT)),
        ("crc_data", lambda link: named("nvmlDeviceGetNvLinkErrorCounter", gpu, link, nvml.NVML_NVLINK_ERROR_DL_CRC_DATA)),
        ("receive_errors", lambda link: field(gpu, "NVLINK_COUNT_RCV_ERRORS", link)),
        ("overruns", lambda link: field(gpu, "NVLINK_COUNT_BUFFER_OVERRUN_ERRORS", link)),
        ("integrity", lambda link: field(gpu, "NVLINK_COUNT_LOCAL_LINK_INTEGRITY_ERRORS", link)),
        ("recoveries_failed", lambda link: field(gpu, "NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS", link)),
    ):
        values = [ask(link) if active[link] == 1 else "unknown" for link in range(count)]
        yield "link." + word, None if None in values else " ".join(str(value) for value in values)


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def main():
    nvml.nvmlInit()
    print(f"gpu.count={nvml.nvmlDeviceGetCount()}")
    print(f"nvml.driver={text(nvml.nvmlSystemGetDriverVersion())}")
    for i in range(nvml.nvmlDeviceGetCount()):
        gpu = nvml.nvmlDeviceGetHandleByIndex(i)
        bus = text(nvml.nvmlDeviceGetPciInfo(gpu).busId)
        print(f"gpu.{i}.pci={bus[4:].lower()}")
        for word, name in (("name", "Name"), ("uuid", "UUID"), ("vbios", "VbiosVersion")):
            print(f"gpu.{i}.nvml.{word}={text(getattr(nvml, 'nvmlDeviceGet' + name)(gpu))}")
        for key, value in facts(gpu):
            if value is not None:
                print(f"gpu.{i}.nvml.{key}={value}")
    nvml.nvmlShutdown()


main()
