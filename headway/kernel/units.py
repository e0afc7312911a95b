"""Compilation units: code that Numba optimises and compiles to machine code together, and only once.

Numba itself optimises every function separately, emits machine code for it, then links its code into each caller and
optimises it again there, so the cost of a chain of kernels grows with its depth. Here a *unit* is a kernel with all
parts that it calls: the parts are only typed and lowered, then everything is linked, optimised and emitted once. A part
is any kernel that compiled code calls, unless it is declared a unit; such a unit is called by its symbol from all other
units, and optimised in none of them.

::

    search_kernel ─┬─ add costs, …              parts: linked in
                   ├─ sentence_scores ─┬─ …     a unit: called by name
                   │                   └─ score_arcs, index_arcs, …: units again
                   └─ search_trees ─── climb, weigh, list_options, …: its parts

Symbols are named by content keys, so units compiled by different processes fit together. Kernels are not
specialised for literals, nor for the width of signed integers declared as ``int``.

While a unit is compiled, under Numba's own lock, Numba's code generator creates libraries of the class below, also for
Numba's own functions. Other packages' kernels are not affected. Written for the versions of Numba named in
`headway.kernel.ready`.
"""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import llvmlite.binding as llvm
import numba
from numba.core import cgutils, event, sigutils, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.typing.templates import make_concrete_template

from headway.kernel.keys import content_key
from headway.kernel.names import callee_options, unit_options
from headway.kernel.ready import SUPPORTED


def is_supported() -> bool:
    """Return whether units work with this version of Numba."""
    return str(numba.__version__).startswith(SUPPORTED)


Callee = tuple[str, str, tuple[Any, ...]]
"""A kernel that others call: its module, its name, the types of its arguments."""


class UnitLibrary(JITCodeLibrary):
    """The code of one function; of a whole unit, if the function is its head."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._shared_module: Any = None
        self.head: Callee | None = None
        self.part: Callee | None = None
        self._units: list[UnitLibrary] = []

    @property
    def codegen(self) -> Any:
        """The code generator; for parts, a stand-in, since they have no environment in memory."""
        return _NoEnvironments if self.head is None else self._codegen

    @property
    def units(self) -> list["Callee"]:
        """The heads of all units that this unit's code calls."""
        called: dict[Any, None] = {}
        for library in (self, *self._all_parts()):
            for unit in getattr(library, "_units", ()):
                called[unit.head] = None
        return list(called)

    def add_linking_library(self, library: Any) -> None:
        """Record that this code calls that of `library`."""
        if getattr(library, "head", None) is not None:
            self._units.append(library)
        else:
            self._linking_libraries.append(library)

    def bitcode(self) -> tuple[bytes, list[Any], list[Any]]:
        """Return a part's code with the functions of Numba that it needs, and the parts and units that it calls."""
        module, parts, seen = self._final_module.clone(), [], {self, rtsys.library}
        defined = {function.name for function in module.functions if not function.is_declaration}
        waiting = list(self._linking_libraries)
        while waiting:
            library = waiting.pop(0)
            if library in seen:
                continue
            seen.add(library)
            if getattr(library, "part", None) is not None:
                parts.append(library.part)
                continue
            linked = library._own_module() if isinstance(library, UnitLibrary) else library._get_module_for_linking()
            module.link_in(linked, preserve=True)
            waiting += library._linking_libraries if isinstance(library, UnitLibrary) else ()
        _hide(module, defined)  # Numba numbers its functions anew in every process: no other module may see them
        return module.as_bitcode(), parts, [unit.head for unit in self._units]

    def load_bitcode(self, code: bytes) -> None:
        """Make a part from code that was compiled earlier."""
        self._final_module = llvm.parse_bitcode(code)
        self._linking_libraries.append(rtsys.library)

    def add_ir_module(self, ir_module: Any) -> None:
        """Add a function's code, unchanged."""
        module = llvm.parse_assembly(cgutils.normalize_ir_text(str(ir_module)))
        module.name = ir_module.name
        module.data_layout = self._codegen._data_layout
        self._final_module.link_in(module)

    def finalize(self) -> None:
        """Link, optimise and emit a unit; parts stay unchanged."""
        if self.head is None:
            return
        exported = {function.name for function in self._final_module.functions if not function.is_declaration}
        self._link_parts()
        _hide(self._final_module, exported)
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name) if variable.name.startswith("_ZN08NumbaEnv") else None
            if environment is not None:
                self._codegen.set_env(variable.name, environment)

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function of a unit; 0 for parts, which have no machine code."""
        return 0 if self.head is None else int(super().get_pointer_to_function(name))

    def _all_parts(self) -> Iterator[Any]:
        seen, waiting = {self}, list(self._linking_libraries)
        while waiting:
            library = waiting.pop(0)
            if library not in seen:
                seen.add(library)
                yield library
                if isinstance(library, UnitLibrary):
                    waiting.extend(library._linking_libraries)

    def _link_parts(self) -> None:
        parts = [library for library in self._all_parts() if library is not rtsys.library]
        for library in (
            *parts,
            rtsys.library,
        ):  # runtime last: only functions requested before are linked
            self._reload_init.update(library._reload_init)
            linked = library._own_module() if isinstance(library, UnitLibrary) else library._get_module_for_linking()
            self._final_module.link_in(linked, preserve=True)

    def _own_module(self) -> Any:
        """Return only the code of this part, in a form that can be linked into several units."""
        if self._shared_module is None:
            self._shared_module = self._final_module.clone()
            for function in self._shared_module.functions:
                if not function.is_declaration and function.linkage == llvm.Linkage.external:
                    function.linkage = "linkonce_odr"
        return self._shared_module

    def _get_module_for_linking(self) -> Any:
        """Return the code with everything that it calls, for kernels that are not Headway's.

        Such kernels use parts that are Numba's own functions.
        """
        whole = self._own_module().clone()
        for library in self._all_parts():
            linked = library._own_module() if isinstance(library, UnitLibrary) else library._get_module_for_linking()
            whole.link_in(linked, preserve=True)
        return whole

    def externals(self) -> list[str]:
        """Return the symbols that a unit's code needs but does not define."""
        module, passes = self._final_module.clone(), llvm.create_new_module_pass_manager()
        passes.add_strip_dead_prototype_pass()  # removes unused declarations
        passes.run(module, self._codegen._pass_builder())
        declared = [symbol.name for symbol in (*module.functions, *module.global_variables) if symbol.is_declaration]
        return sorted(name for name in declared if not name.startswith("llvm."))

    def load(self, machine_code: bytes, symbols: tuple[str, ...]) -> None:
        """Make a unit from machine code that was emitted earlier."""
        self.enable_object_caching()
        self._set_compiled_object(machine_code)
        self._finalize_final_module()
        self._codegen._engine._defined_symbols.update(symbols)


def _hide(module: Any, exported: set[str]) -> None:
    """Hide all functions that a module defines from other modules, except those in `exported`.

    They become ``private``, not ``internal``: LLVM's MCJIT also finds internal functions of other modules by name,
    whose parameters may have been optimised away, so that the call crashes.
    """
    for function in module.functions:
        if not function.is_declaration and function.name not in exported:
            function.linkage = "private"


class _NoEnvironments:
    """Stands in for the code generator where Numba registers a function's environment."""

    @staticmethod
    def set_env(name: str, environment: object) -> None:
        """Do nothing: a unit registers the environments of its parts when it is emitted."""


class _PartPipeline(Compiler):
    """Types and lowers a kernel that becomes part of other units."""

    def _compile_bytecode(self) -> Any:
        self.state.func_id.unique_id = content_key(self.state.func_id.func)
        return super()._compile_bytecode()


class _UnitPipeline(_PartPipeline):
    """Compiles a kernel with all of its parts."""

    def compile_extra(self, function: Any) -> Any:
        """Compile; all libraries created meanwhile become parts of this unit."""
        codegen = self.state.targetctx.codegen()
        with _making(codegen, UnitLibrary):
            self.state.library = codegen.create_library(function.__qualname__)
            self.state.library.head = function.__module__, function.__qualname__, tuple(self.state.args)
            self.state.library.enable_object_caching()
            return super().compile_extra(function)


@contextmanager
def _making(codegen: Any, library: type) -> Iterator[None]:
    before = codegen._library_class
    codegen._library_class = library
    try:
        yield
    finally:
        codegen._library_class = before


class _PartCompiler(_FunctionCompiler):
    def _customize_flags(self, flags: Any) -> Any:
        flags.no_compile = True
        return flags


class _Callees(CPUDispatcher):
    """The compiled forms of a unit for calls by other units, without the wrapper for calls from Python."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, {}, options, pipeline_class=_UnitPipeline)


class UnitDispatcher(CPUDispatcher):
    """A kernel: the head of a unit if Python calls it, a part of the caller's unit if a kernel does.

    Parameters
    ----------
    function : function
    options : dict
        Options of `numba.njit`.
    unit_cache, part_cache : function
        Return, for a function and options, the caches of compiled units and of parts.
    is_unit : bool
        Whether kernels, too, call it as a separate unit.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        options: dict[str, Any],
        *,
        unit_cache: Callable[[Any, dict[str, Any]], Any],
        part_cache: Callable[[Any, dict[str, Any]], Any],
        is_unit: bool,
    ) -> None:
        inner = callee_options(options)
        options = unit_options(options)
        self._as_unit = _Callees(function, inner) if is_unit else None
        called = function if self._as_unit is None else _forward(function, self._as_unit)
        super().__init__(called, {}, options, pipeline_class=_UnitPipeline)
        self.py_func = function
        self._cache = unit_cache(function, options)
        self._part_compiler = _PartCompiler(function, self.targetdescr, inner, {}, _PartPipeline)
        self._part_cache = part_cache(function, {**inner, "part": True})
        if self._as_unit is not None:
            self._as_unit._cache = unit_cache(function, inner)
        self._callees: dict[tuple[Any, ...], Any] = {}
        parameters = inspect.signature(function).parameters.values()
        self._whole_numbers = [parameter.annotation in (int, "int") for parameter in parameters]

    @property
    def callee_cache(self) -> Any:
        """Return the cache of the forms for calls by other units, if this is a unit for them."""
        return None if self._as_unit is None else self._as_unit._cache

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile for these argument types, for a call by another kernel."""
        signature, args = self._compiler.fold_argument_types(args, kws)
        args = self._plain_types(args)
        name = self.py_func.__name__
        template = make_concrete_template(
            f"CallTemplate({name})", key=name, signatures=[self.compile_callee(args).signature]
        )
        return template, signature, args, {}

    def get_overload(self, sig: Any) -> Any:
        """Return the form that was compiled for calls by other kernels."""
        args, _ = sigutils.normalize_signature(sig)
        return self._callees[self._plain_types(args)].entry_point

    def _plain_types(self, args: Any) -> tuple[Any, ...]:
        """Return the types to compile for: no literals, and one width for signed integers declared as ``int``."""
        plain = []
        for type_, is_whole in zip(map(types.unliteral, args), self._whole_numbers, strict=True):
            widens = is_whole and isinstance(type_, types.Integer) and type_.signed
            plain.append(types.int64 if widens else type_)
        return tuple(plain)

    def compile_callee(self, args: tuple[Any, ...]) -> Any:
        """Return the form for calls by other kernels, compiled for these types: a unit, or a part of theirs."""
        if args in self._callees:
            return self._callees[args]
        if self._as_unit is not None:
            self._as_unit.compile(args)
            result = self._as_unit.overloads[args]
        else:
            with global_compiler_lock, self._compiling_counter:
                result = self._part_cache.load_overload(args, self.targetctx) or self._compile_part(args)
                result.library.part = self.py_func.__module__, self.py_func.__qualname__, args
                result = result._replace(entry_point=_Callee())
                self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self._callees[args] = result
        return result

    def _compile_part(self, args: tuple[Any, ...]) -> Any:
        details = {"dispatcher": self, "args": args, "return_type": None}
        with event.trigger_event("numba:compile", data=details), _making(self.targetctx.codegen(), UnitLibrary):
            result = self._part_compiler.compile(args, None)
        result.library.part = self.py_func.__module__, self.py_func.__qualname__, args
        self._part_cache.save_overload(args, result)
        return result


def _forward(function: Callable[..., Any], unit: _Callees) -> Callable[..., Any]:
    """Return the function for Python of a unit that kernels call, too, so that its code is not compiled twice."""
    names = ", ".join(inspect.signature(function).parameters)
    namespace: dict[str, Any] = {"unit": unit}
    exec(f"def forward({names}):\n    return unit({names})", namespace)
    forward: Any = namespace["forward"]
    forward.__module__, forward.__qualname__ = function.__module__, f"{function.__qualname__}.forward"
    forward.__name__, forward.__doc__, forward.__defaults__ = function.__name__, function.__doc__, function.__defaults__
    return cast(Callable[..., Any], forward)


class _Callee:
    """The names that Numba uses for a part."""
