/* Programs from shaders that are embedded in the library, and their uniforms. */
#include "gpu/device.h"

const char *gpu_source_find(const char *name)
{
    for (uint32_t i = 0; i < gpu_source_count; i++)
        if (strcmp(gpu_sources[i].name, name) == 0)
            return gpu_sources[i].text;
    return NULL;
}

static const char *find_source(const gpu_program_def *def, const char *name)
{
    for (uint32_t i = 0; i < def->source_count; i++)
        if (strcmp(def->sources[i].name, name) == 0)
            return def->sources[i].text;
    return gpu_source_find(name);
}

/* ---- what the driver says of a shader or program that it refuses ---- */

typedef struct refused
{
    gl_name object;
    const char *name; /* of the shader's file */
    const char *verb;
    void (*get_value)(gl_name object, gl_enum name, int *value);
    void (*get_log)(gl_name object, int size, int *length, char *log);
} refused;

/* The whole log, line by line, because a message is short. */
static void log_lines(const gpu_device *device, const char *name, char *log)
{
    for (char *line = log, *end; *line; line = end)
    {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        else
            end = line + strlen(line);
        base_log(device->context, CAROM_LOG_ERROR, "%s: %s", name, line);
    }
}

static carom_status refuse(gpu_device *device, const refused *refused)
{
    int length = 0;
    refused->get_value(refused->object, GL_INFO_LOG_LENGTH, &length);
    size_t size = length > 0 ? (size_t)length + 1 : 1;
    char *log = base_allocate(device->context, size, 1, 1);
    if (!log)
        return gpu_fail(device, CAROM_OUT_OF_MEMORY, "%s: no memory for the driver's log of %d bytes", refused->name,
                        length);
    memset(log, 0, size);
    refused->get_log(refused->object, (int)size, NULL, log);
    char head[160];
    size_t used = 0;
    for (; used + 1 < sizeof head && log[used]; used++)
        head[used] = log[used];
    head[used] = '\0';
    for (char *end; (end = strchr(head, '\n')) != NULL;)
        *end = ' '; /* a message is one line */
    log_lines(device, refused->name, log);
    base_release(device->context, log, size, 1);
    return gpu_fail(device, CAROM_BAD_DATA, "%s does not %s: %s", refused->name, refused->verb,
                    used > 0 ? head : "the driver does not say why");
}

/* ---- shaders ---- */

/* Where the line after #version begins. */
static const char *after_first_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end ? end + 1 : text + strlen(text);
}

static carom_status compile(gpu_device *device, gl_name shader, const gpu_program_def *def, const char *name)
{
    const char *text = find_source(def, name);
    if (!text)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "no shader is called %s", name);
    /* definitions come after #version, which must be first; #line keeps the numbers in messages right */
    const char *rest = after_first_line(text);
    const char *const parts[] = {text, def->definitions ? def->definitions : "", "\n#line 2\n", rest};
    const int lengths[] = {(int)(rest - text), (int)strlen(parts[1]), (int)strlen(parts[2]), (int)strlen(rest)};
    int compiled = 0;
    GPU_TRY(device, ShaderSource, shader, 4, parts, lengths);
    GPU_TRY(device, CompileShader, shader);
    GPU_TRY(device, GetShaderiv, shader, GL_COMPILE_STATUS, &compiled);
    const refused bad = {shader, name, "compile", device->gl.GetShaderiv, device->gl.GetShaderInfoLog};
    return compiled ? CAROM_OK : refuse(device, &bad);
}

/* The shader is deleted with the program that it is attached to. */
static carom_status add_shader(gpu_device *device, gl_name program, gl_enum stage, const gpu_program_def *def)
{
    const char *name = stage == GL_VERTEX_SHADER     ? def->vertex
                       : stage == GL_GEOMETRY_SHADER ? def->geometry
                       : stage == GL_COMPUTE_SHADER  ? def->compute
                                                     : def->fragment;
    if (!name)
        return CAROM_OK;
    gl_name shader = device->gl.CreateShader(stage);
    carom_status status = gpu_check_call(device, "glCreateShader");
    if (!carom_failed(status))
        status = compile(device, shader, def, name);
    if (!carom_failed(status))
    {
        device->gl.AttachShader(program, shader);
        status = gpu_check_call(device, "glAttachShader");
    }
    device->gl.DeleteShader(shader);
    return status;
}

static carom_status build(gpu_device *device, gl_name program, const gpu_program_def *def)
{
    int linked = 0;
    BASE_TRY(add_shader(device, program, GL_VERTEX_SHADER, def));
    BASE_TRY(add_shader(device, program, GL_GEOMETRY_SHADER, def));
    BASE_TRY(add_shader(device, program, GL_FRAGMENT_SHADER, def));
    BASE_TRY(add_shader(device, program, GL_COMPUTE_SHADER, def));
    GPU_TRY(device, LinkProgram, program);
    GPU_TRY(device, GetProgramiv, program, GL_LINK_STATUS, &linked);
    const char *name = def->compute ? def->compute : def->fragment ? def->fragment : def->vertex;
    const refused bad = {program, name, "link", device->gl.GetProgramiv, device->gl.GetProgramInfoLog};
    return linked ? CAROM_OK : refuse(device, &bad);
}

carom_status gpu_program_create(gpu_device *device, const gpu_program_def *def, gpu_program *out)
{
    gpu_program program = {0};
    *out = program;
    BASE_TRY(gpu_ready(device));
    if (!def->vertex == !def->compute)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "a program %s",
                        def->compute ? "that both draws and computes" : "without a vertex shader");
    program.name = device->gl.CreateProgram();
    carom_status status = gpu_check_call(device, "glCreateProgram");
    if (!carom_failed(status))
        status = build(device, program.name, def);
    if (carom_failed(status))
        gpu_program_destroy(device, &program);
    *out = program;
    return status;
}

void gpu_program_destroy(gpu_device *device, gpu_program *program)
{
    if (gpu_can_delete(device, program->name))
        device->gl.DeleteProgram(program->name);
    program->name = 0;
}

/* ---- uniforms ---- */

static carom_status set_floats(gpu_device *device, gl_name program, int at, const gpu_uniform *uniform)
{
    const float *values = uniform->values;
    int count = (int)uniform->count;
    switch (uniform->components)
    {
    case 1: GPU_TRY(device, ProgramUniform1fv, program, at, count, values); break;
    case 2: GPU_TRY(device, ProgramUniform2fv, program, at, count, values); break;
    case 3: GPU_TRY(device, ProgramUniform3fv, program, at, count, values); break;
    case 4: GPU_TRY(device, ProgramUniform4fv, program, at, count, values); break;
    default: GPU_TRY(device, ProgramUniformMatrix4fv, program, at, count, GL_FALSE, values); break;
    }
    return CAROM_OK;
}

static carom_status set_ints(gpu_device *device, gl_name program, int at, const gpu_uniform *uniform)
{
    const int *values = uniform->values;
    int count = (int)uniform->count;
    switch (uniform->components)
    {
    case 1: GPU_TRY(device, ProgramUniform1iv, program, at, count, values); break;
    case 2: GPU_TRY(device, ProgramUniform2iv, program, at, count, values); break;
    case 3: GPU_TRY(device, ProgramUniform3iv, program, at, count, values); break;
    default: GPU_TRY(device, ProgramUniform4iv, program, at, count, values); break;
    }
    return CAROM_OK;
}

static carom_status set_uints(gpu_device *device, gl_name program, int at, const gpu_uniform *uniform)
{
    const unsigned *values = uniform->values;
    int count = (int)uniform->count;
    switch (uniform->components)
    {
    case 1: GPU_TRY(device, ProgramUniform1uiv, program, at, count, values); break;
    case 2: GPU_TRY(device, ProgramUniform2uiv, program, at, count, values); break;
    case 3: GPU_TRY(device, ProgramUniform3uiv, program, at, count, values); break;
    default: GPU_TRY(device, ProgramUniform4uiv, program, at, count, values); break;
    }
    return CAROM_OK;
}

carom_status gpu_program_set(gpu_device *device, const gpu_program *program, const gpu_uniform *uniform)
{
    BASE_TRY(gpu_ready(device));
    bool matrix = uniform->components == 16 && uniform->type == GPU_FLOAT;
    if ((!matrix && (uniform->components < 1 || uniform->components > 4)) || uniform->count < 1 ||
        uniform->count > INT32_MAX || !uniform->values || program->name == 0)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "uniform %s: %u of %u components", uniform->name,
                        uniform->count, uniform->components);
    int at;
    GPU_TRY_RESULT(&at, device, GetUniformLocation, program->name, uniform->name);
    if (at < 0)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "no shader of the program uses a uniform %s", uniform->name);
    switch (uniform->type)
    {
    case GPU_FLOAT: return set_floats(device, program->name, at, uniform);
    case GPU_INT: return set_ints(device, program->name, at, uniform);
    default: return set_uints(device, program->name, at, uniform);
    }
}
